#include "hinge/pipeline/compiled_set.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/read_progress.h"
#include "hinge/pipeline/record.h"
#include "hinge/tasks/cacheable.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Size and time, 0 and 0 if there is nothing.
struct Extent {
  std::uint64_t bytes = 0;
  std::int64_t time = 0;
};

Extent extent_of(const fs::path& path) {
  std::error_code none;
  Extent of;
  if (!fs::is_directory(path, none)) {
    of.bytes = fs::file_size(path, none);
    if (none) return {};
  } else {
    of.bytes = 1;  // it is there
    for (const fs::directory_entry& entry : fs::directory_iterator(path, none)) {
      const Extent part = extent_of(entry.path());
      of.bytes += part.bytes;
      of.time = std::max(of.time, part.time);
    }
  }
  const auto changed = std::chrono::file_clock::to_sys(fs::last_write_time(path, none));
  if (!none) of.time = std::max<std::int64_t>(of.time, changed.time_since_epoch().count());
  return of;
}

// A file, or a folder with all in it, by its path, size and time.
Json identity_of(const std::string& path) {
  std::error_code none;
  const Extent extent = extent_of(path);
  return Json()
      .set("path", fs::absolute(path, none).lexically_normal().string())
      .set("bytes", extent.bytes)
      .set("time", extent.time);
}

// What the cache of a job depends on.
Json key_of(const Job& job, const std::vector<std::string>& train) {
  Json options, files;
  for (std::size_t k = 0; k < train.size(); ++k)
    files.set(k == 0 ? "TRAIN" : fmt::format("TRAIN {}", k + 1), identity_of(train[k]));
  for (const Option& option : job.task->options().options()) {
    if (!option.is_recorded()) continue;
    options.set(option.name(),
                option.has(Trait::kInput) ? fs::path(option.value()).filename().string() : option.value());
    if (!option.has(Trait::kInput)) continue;
    for (const std::string& path : split_list(option.value())) {
      std::error_code none;
      if (fs::is_regular_file(path, none)) files.set(option.name() + " " + path, identity_of(path));
    }
  }
  for (const std::string& path : split_list(job.settings.tagger))
    files.set("tagger " + path, identity_of(path));
  const std::string& init = job.settings.init;
  if (!init.empty() && ModelFile::is_model(init)) files.set("init", identity_of(init));
  options.set("jackknife", job.settings.jackknife.value_or(0));
  return Json().set("task", job.settings.task).set("options", options).set("files", files);
}

// The first difference, or "".
std::string file_difference(const std::string& name, const Json& before, const Json& now) {
  if (!before.has(name)) return fmt::format("without {}", now.object(name).text("path"));
  if (!now.has(name)) return fmt::format("with {}", before.object(name).text("path"));
  const Json then = before.object(name), today = now.object(name);
  if (then.text("path") != today.text("path"))
    return fmt::format("from {}, not {}", then.text("path"), today.text("path"));
  // A corpus may be deleted once it is compiled.
  if (today.whole("bytes") == 0 && today.whole("time") == 0) return "";
  if (then.whole("bytes") != today.whole("bytes"))
    return fmt::format("when {} had {} bytes, now it has {}", then.text("path"), then.whole("bytes"),
                       today.whole("bytes"));
  if (then.whole("time") != today.whole("time"))
    return fmt::format("before {} was last changed", then.text("path"));
  return "";
}

std::string difference(const Json& before, const Json& now) {
  if (before.text("task") != now.text("task"))
    return fmt::format("for the task {}, not {}", before.text("task"), now.text("task"));
  const Json options = before.object("options"), wanted = now.object("options");
  for (const std::string& name : wanted.names()) {
    if (!options.has(name)) return fmt::format("without {}={}", name, wanted.shown(name));
    if (options.shown(name) != wanted.shown(name))
      return fmt::format("with {}={}, not {}={}", name, options.shown(name), name, wanted.shown(name));
  }
  for (const std::string& name : options.names()) {
    if (!wanted.has(name)) return fmt::format("with {}={}", name, options.shown(name));
  }
  const Json files = before.object("files"), given = now.object("files");
  std::vector<std::string> names = files.names();
  for (const std::string& name : given.names()) {
    if (!files.has(name)) names.push_back(name);
  }
  for (const std::string& name : names) {
    const std::string change = file_difference(name, files, given);
    if (!change.empty()) return change;
  }
  return "";
}

// Says from time to time how much of the file is read.
class Progress {
 public:
  Progress(std::string name, std::uint64_t bytes, JobObserver& observer)
      : name_(std::move(name)), bytes_(bytes), observer_(observer) {}

  void tell() {
    constexpr double kEvery = 10.0;
    const double seconds = seconds_since(begin_);
    if (seconds - told_ < kEvery) return;
    told_ = seconds;
    const double done = static_cast<double>(bytes_read() - before_) / static_cast<double>(bytes_);
    if (done <= 0.0 || done > 1.0) return;
    observer_.say(
        fmt::format("{}: {:.0f} % read, about {:.0f} s left", name_, 100.0 * done, seconds / done - seconds));
  }
  double seconds() const { return seconds_since(begin_); }

 private:
  std::string name_;
  std::uint64_t bytes_;
  JobObserver& observer_;
  std::uint64_t before_ = bytes_read();
  Clock::time_point begin_ = Clock::now();
  double told_ = 0.0;
};

void compile(const Cacheable& task, const std::string& path, const Json& key, std::uint64_t window,
             const Source& source, Workers& workers, JobObserver& observer) {
  const Json files = key.object("files");
  std::int64_t bytes = 0;
  for (const std::string& name : files.names())
    bytes += name.starts_with("TRAIN") ? files.object(name).whole("bytes") : 0;
  Progress progress(path, static_cast<std::uint64_t>(bytes), observer);
  const auto* outer = detail::interrupt_check;
  const InterruptScope scope([&progress, outer, thread = Workers::this_thread()] {
    if (Workers::this_thread() == thread) progress.tell();
    if (outer != nullptr) (*outer)();
  });
  SpillSpace space(path, window);
  BlockCacheWriter writer(path, key);
  task.compile(source, workers, space, writer);
  std::error_code ignored;
  observer.say(fmt::format("{}: compiled, {:.1f} MB, {:.1f} s", path,
                           static_cast<double>(fs::file_size(path, ignored)) / 1e6, progress.seconds()));
}

}  // namespace

std::unique_ptr<TrainingSet> load_compiled(Job& job, const std::vector<std::string>& train,
                                           const std::function<Source()>& source, Workers& workers,
                                           JobObserver& observer) {
  const std::string name = job.settings.spelled("cache");
  const auto* task = dynamic_cast<const Cacheable*>(job.task.get());
  if (task == nullptr)
    fail<OptionError>(
        "{}: the training data of the task {} is kept in memory and cannot be compiled; leave it out", name,
        job.settings.task);
  task->check_cache();
  const std::string& path = job.settings.cache;
  const auto window = static_cast<std::uint64_t>(job.settings.cache_window) << 20;
  const Json key = key_of(job, train);
  Communicator& ranks = this_communicator();
  agree_on(ranks, [&] {
    std::error_code ignored;
    if (ranks.rank() != 0 || fs::exists(path, ignored)) return;
    const RankScope alone(solitary(), this_shard_count());  // the others wait
    const Source data = source();
    prepare_first_stage(*job.task, data, workers, observer);
    compile(*task, path, key, window, data, workers, observer);
  });
  std::unique_ptr<TrainingSet> set;
  agree_on(ranks, [&] {
    std::shared_ptr<BlockCache> cache = BlockCache::open(path, window);
    const std::string change = difference(cache->key(), key);
    if (!change.empty())
      fail<OptionError>("{}: was compiled {}; delete it, or give another name with {}", path, change, name);
    set = task->open(std::move(cache));
  });
  return set;
}

}  // namespace hinge
