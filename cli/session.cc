#include "cli/session.h"

#include <fmt/core.h>
#include <toml++/toml.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/pipeline/annotate.h"
#include "hinge/pipeline/load.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

std::atomic<bool> interrupt_flag{false};

void on_interrupt(int) {
  if (interrupt_flag.exchange(true)) _exit(130);
}

std::string toml_text(const toml::node& node, std::string_view key, const std::string& path) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
  fail<OptionError>("{}:{}: {} must be text, a number, true or false", path, node.source().begin.line, key);
}

template <typename T>
T whole_number(const std::string& text, std::string_view key, const std::string& path) {
  try {
    std::size_t used = 0;
    const long long value = std::stoll(text, &used);
    if (used == text.size() && value >= 0) return static_cast<T>(value);
  } catch (const std::exception&) {
    // falls through to the message
  }
  fail<OptionError>("{}: {} is '{}' but must be a whole number of at least 0", path, key, text);
}

struct FillIn {
  const std::string& text;
  std::string_view key;
  const std::string& path;

  void operator()(std::string* target) const {
    if (target->empty()) *target = text;
  }
  void operator()(std::optional<std::string>* target) const {
    if (!*target) *target = text;
  }
  template <typename Number>
  void operator()(std::optional<Number>* target) const {
    if (!*target) *target = whole_number<Number>(text, key, path);
  }
};

std::string stop_note(Stop stop) {
  if (stop == Stop::kNot || stop == Stop::kEpochs) return "";
  if (stop == Stop::kInterrupted) return "  interrupted: keeping the model as it is";
  return fmt::format("  stopped: {}", stop == Stop::kTime  ? "the time is up"
                                      : stop == Stop::kGap ? "the gap is small enough"
                                                           : stop_name(stop));
}

}  // namespace

std::string time_left(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}s", whole);
}

void add_learning_flags(CLI::App& command, SessionFlags& flags) {
  command.add_option("--epochs", flags.epochs, "passes over the training data");
  command.add_option("--C", flags.C, "weight of the loss against the regularizer");
  command
      .add_option("-p", flags.parameters,
                  "name=value: any option of the task or learner; see 'hinge learners NAME'")
      ->allow_extra_args(false);
  command
      .add_option("--refs", flags.references,
                  "references, a line a sentence; may be repeated (same as -p refs=A,B)")
      ->allow_extra_args(false);
  command.add_option("--seed", flags.seed, "same seed, same model (default 1)");
  command.add_option("--threads", flags.threads, kThreadsHelp);
  command.add_flag("--quiet,-q", flags.quiet, "no progress");
}

void add_session_flags(CLI::App& command, SessionFlags& flags, bool required) {
  command.add_option("TASK", flags.task, "what to learn; see 'hinge tasks'")->required(required);
  command.add_option("TRAIN", flags.train, "training data ('-': standard input)")->required(required);
  add_learning_flags(command, flags);
  command.add_option("--features", flags.features, "templates: a preset or a file (same as -p features=...)");
  command.add_option("--column", flags.column, "the label column (same as -p column=...)");
  command.add_option("--dev-refs", flags.dev_references, "references of --dev (same as -p dev_refs=A,B)")
      ->allow_extra_args(false);
  command.add_option("--tagger", flags.taggers, std::string(kTaggerHelp) + ", of --dev");
  command.add_option("--jackknife", flags.jackknife,
                     "tag TRAIN in so many parts, each with taggers like --tagger learned from the others");
  command.add_option("--config", flags.config, "settings from a TOML file; the command line wins");
}

void read_config(SessionFlags& flags, const std::vector<ConfigKey>& more) {
  if (flags.config.empty()) return;
  toml::table table;
  try {
    table = toml::parse_file(flags.config);
  } catch (const toml::parse_error& error) {
    fail<OptionError>("{}:{}: {}; see docs/cli.md for the format", flags.config, error.source().begin.line,
                      error.description());
  }
  std::vector<ConfigKey> keys{{"dev", &flags.dev},
                              {"features", &flags.features},
                              {"column", &flags.column},
                              {"tagger", &flags.taggers},
                              {"jackknife", &flags.jackknife},
                              {"epochs", &flags.epochs},
                              {"C", &flags.C},
                              {"seed", &flags.seed},
                              {"threads", &flags.threads}};
  keys.insert(keys.end(), more.begin(), more.end());
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    if (name == "options") {
      if (!node.is_table()) fail<OptionError>("{}: options must be a table: [options]", flags.config);
      for (const auto& [option, value] : *node.as_table()) {
        // In front, so that what the command line gives comes later and wins.
        flags.parameters.insert(
            flags.parameters.begin(),
            fmt::format("{}={}", option.str(), toml_text(value, option.str(), flags.config)));
      }
      continue;
    }
    const std::string text = toml_text(node, name, flags.config);
    const auto known = std::ranges::find(keys, name, &ConfigKey::name);
    if (known == keys.end()) {
      fail<OptionError>("{}:{}: there is no setting '{}'; options of tasks and learners go below [options]",
                        flags.config, node.source().begin.line, name);
    }
    std::visit(FillIn{text, name, flags.config}, known->target);
  }
}

std::pair<std::string_view, std::string_view> split_parameter(std::string_view parameter) {
  const std::size_t equals = parameter.find('=');
  if (equals == std::string_view::npos) {
    fail<OptionError>("-p {}: name=value was expected; see 'hinge learners NAME' and 'hinge tasks NAME'",
                      parameter);
  }
  return {parameter.substr(0, equals), parameter.substr(equals + 1)};
}

void apply_task_flags(const SessionFlags& flags, OptionTable& task) {
  if (!flags.features.empty()) task.set("features", flags.features);
  if (!flags.column.empty()) task.set("column", flags.column);
  if (!flags.references.empty()) task.set("refs", join(flags.references, ","));
  if (!flags.dev_references.empty()) task.set("dev_refs", join(flags.dev_references, ","));
}

void apply_options(const SessionFlags& flags, OptionTable& task, OptionTable& learner) {
  apply_task_flags(flags, task);
  if (flags.epochs) learner.set("epochs", *flags.epochs);
  if (flags.C) learner.set("C", *flags.C);
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    if (!learner.has(name) && !task.has(name)) {
      std::vector<std::string_view> names;
      for (const OptionTable* table : {&learner, &task}) {
        for (const Option& option : table->options()) names.push_back(option.name());
      }
      const std::string_view near = nearest_name(name, names);
      fail<OptionError>("neither {} nor {} has an option '{}'{}; they have: {}", learner.owner(),
                        task.owner(), name, near.empty() ? "" : fmt::format(", did you mean '{}'", near),
                        join(names, ", "));
    }
    (learner.has(name) ? learner : task).set(name, value);
  }
}

int thread_count(const SessionFlags& flags) { return hinge::thread_count(flags.threads.value_or(0)); }

void catch_interrupts(std::initializer_list<int> signals) {
  for (const int signal : signals) {
    const bool ignored = std::signal(signal, on_interrupt) == SIG_IGN;
    if (ignored && signal == SIGHUP) std::signal(signal, SIG_IGN);  // nohup
  }
}

bool interrupted() { return interrupt_flag.load(std::memory_order_relaxed); }

Console::Console(bool quiet, std::int64_t examples, std::int64_t epochs)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1), examples_(examples), epochs_(epochs) {}

bool Console::interrupts(std::int64_t examples_done) {
  constexpr std::int64_t kShowEvery = 256;
  if (terminal_ && !quiet_ && ++polls_ % kShowEvery == 0) {
    const double done =
        static_cast<double>(examples_done) / static_cast<double>(std::max<std::int64_t>(1, examples_));
    fmt::print(stderr, "\repoch {}/{} {:3.0f} % ", epochs_done_ + 1, epochs_, 100.0 * done);
  }
  return interrupted();
}

void Console::epoch_done(const EpochReport& r) {
  epochs_done_ = r.epoch;
  if (quiet_) return;
  std::string line = fmt::format("{}epoch {}/{}  updates {:6}  loss {:<10.0f}", terminal_ ? "\r" : "",
                                 r.epoch, r.epochs, r.updates, r.loss);
  if (r.objective) {
    line += fmt::format("  objective {:.4f}", r.objective->primal);
    if (const auto gap = r.objective->gap())
      line += fmt::format("  gap {:.2e} ({:.2f} %{})", *gap, 100.0 * *gap / r.objective->primal,
                          r.objective->estimate ? ", an estimate" : "");
  }
  if (!r.dev.empty()) line += fmt::format("  dev {} {:.2f}", r.dev[0].first, r.dev[0].second);
  line += fmt::format("  {:.2f} s", r.elapsed_seconds);
  if (r.stop == Stop::kNot) {
    line += fmt::format("  ETA {}", time_left(r.elapsed_seconds / static_cast<double>(r.epoch) *
                                              static_cast<double>(r.epochs - r.epoch)));
  }
  line += stop_note(r.stop);
  fmt::print(stderr, "{}{}\n", line, terminal_ ? "\x1b[K" : "");
}

void Console::warn(const std::string& message) { fmt::print(stderr, "hinge: warning: {}\n", message); }

Annotators open_annotators(const std::string& taggers) {
  const std::vector<std::string> names = split_list(taggers);
  if (names.empty() && !taggers.empty()) fail<OptionError>("--tagger is '{}' but must name a model", taggers);
  return Annotators(names);
}

namespace {

// Throws OptionError where it makes no sense.
std::size_t folds_of(const SessionFlags& flags) {
  const std::string& text = *flags.jackknife;
  std::size_t folds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), folds);
  if (error != std::errc() || end != text.data() + text.size() || folds < 2)
    fail<OptionError>("--jackknife is '{}' but must be a whole number of at least 2", text);
  if (flags.taggers.empty())
    fail<OptionError>("--jackknife learns a tagger anew for each part; say with --tagger what kind");
  return folds;
}

}  // namespace

std::unique_ptr<TrainingSet> load_set(const SessionFlags& flags, TaskChoice& task, Workers& workers) {
  const auto say = [&flags](const std::string& line) {
    if (!flags.quiet) fmt::print(stderr, "{}\n", line);
  };
  Source source = flags.train;
  if (flags.jackknife) {
    const std::size_t folds = folds_of(flags);
    Console quiet(/*quiet=*/true, 0, 0);
    source = jackknife(open_annotators(flags.taggers), folds, source, workers, quiet, say);
  }
  Console console(flags.quiet, /*examples=*/0, task.first_stage().epochs);
  auto set = load_training(task, source, workers, console, say);
  say(set->summary());
  return set;
}

std::function<Scores(const Weights&)> score_dev(const SessionFlags& flags, const TrainingSet& set,
                                                Workers& workers) {
  return set.scorer(open_annotators(flags.taggers).annotate(flags.dev, workers), workers);
}

}  // namespace hinge::cli
