#include "hinge/pipeline/folds.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "hinge/check/corpus_check.h"
#include "hinge/core/error.h"
#include "hinge/core/random.h"

namespace hinge {
namespace {

// Where the examples of a text begin, as its task reads them.
std::vector<std::size_t> lines_of(const TaskChoice& task, const Source& source) {
  Findings ignored(0);
  CorpusCheck check(ignored);
  check.begin(CorpusPart::kTrain, source.name());
  task.check(source, check);
  std::vector<std::size_t> lines = check.files()[0].lines;
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace

Folds::Folds(const TaskChoice& task, const Source& source, std::int64_t folds, std::uint64_t seed)
    : name_(source.name()), folds_(static_cast<std::size_t>(folds)) {
  std::error_code ignored;
  if (source.memory != nullptr || std::filesystem::is_directory(source.path, ignored))
    fail<OptionError>("{}: cannot be cut into folds; give the data as files of text", name_);
  files_ = source.files();
  for (const TextInput& input : source.inputs()) add_file(task, read_text(input), input.name);
  const std::size_t examples = begin_.size();
  if (examples < std::max<std::size_t>(folds_, 2))
    fail<InputError>("{}: has {} example{}, too few for {} folds; give fewer folds, or more data", name_,
                     examples, examples == 1 ? "" : "s", folds);
  begin_.push_back(text_.size());
  Random random(seed);
  for (std::size_t k = 0; k < examples; ++k) fold_of_.push_back(static_cast<std::uint32_t>(k % folds_));
  random.shuffle(std::span(fold_of_));
}

void Folds::add_file(const TaskChoice& task, std::string text, const std::string& name) {
  const std::vector<std::size_t> lines = lines_of(task, Source::of_text(text, name));
  const std::size_t base = text_.size();
  const std::size_t file = file_of_.empty() ? 0 : file_of_.back() + 1;
  std::size_t at = 0;
  std::size_t number = 1;
  std::size_t second = 0;  // where the second example begins
  for (std::size_t k = 0; k < lines.size(); ++k) {
    for (; number < lines[k] && at < text.size(); ++number) at = first_line_end(text, at);
    if (k == 1) second = at;
    begin_.push_back(base + (k == 0 ? 0 : at));  // what comes before the first example belongs to it
    file_of_.push_back(file);
  }
  // The last example may come before another.
  if (!text.ends_with('\n')) text += '\n';
  const std::string_view first = std::string_view(text).substr(0, second);
  if (first.ends_with("\n\n") && !text.ends_with("\n\n")) text += '\n';
  if (!lines.empty()) text_ += text;
}

Source Folds::text_of(std::size_t fold, bool held_out) const {
  std::string text;
  std::vector<Source::Part> parts;
  // The end of the name may tell the format.
  const auto name = [&](const std::string& file) {
    return fmt::format("{}fold {} of {}", held_out ? "" : "all but ", fold + 1, file);
  };
  std::optional<std::size_t> file;  // of the last example
  for (std::size_t k = 0; k < fold_of_.size(); ++k) {
    if ((fold_of_[k] == fold) != held_out) continue;
    if (file != file_of_[k]) parts.push_back({.file = name(files_[file_of_[k]]), .begin = text.size()});
    file = file_of_[k];
    text += std::string_view(text_).substr(begin_[k], begin_[k + 1] - begin_[k]);
  }
  return Source::of_text(std::move(text), name(name_), std::move(parts));
}

std::vector<Scores> cross_validate(const std::function<Job()>& make_job, const Folds& folds, Workers& workers,
                                   JobObserver& observer) {
  std::vector<Scores> scores;
  for (std::size_t fold = 0; fold < folds.size() && !observer.wants_stop(); ++fold) {
    Job job = make_job();
    job.settings.objective = "never";
    job.train = folds.training(fold);
    job.dev = folds.held_out(fold);
    observer.say(fmt::format("fold {} of {}", fold + 1, folds.size()));
    const JobData data = load(job, workers, observer);
    const Learned learned = learn(job, data, workers, observer);
    if (observer.wants_stop()) break;  // this fold was cut short
    scores.push_back(learned.training.history[learned.training.chosen].dev);
  }
  return scores;
}

}  // namespace hinge
