#include "cli/training.h"

#include <fmt/core.h>

#include <charconv>
#include <filesystem>
#include <limits>

#include "hinge/core/error.h"
#include "hinge/pipeline/load.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

ObjectiveWhen parse_objective(const std::string& when) {
  if (when == "never") return ObjectiveWhen::kNever;
  if (when == "epoch") return ObjectiveWhen::kEveryEpoch;
  if (when == "end" || when.empty()) return ObjectiveWhen::kEnd;
  fail<OptionError>("--objective is '{}' but must be never, end or epoch", when);
}

template <typename Number>
std::optional<Number> parse_number(const std::optional<std::string>& text, std::string_view flag,
                                   Number above, std::string_view expected) {
  if (!text) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || end != text->data() + text->size() || !(value > above) ||
      value > std::numeric_limits<Number>::max())
    fail<OptionError>("--{} is '{}' but must be {}", flag, *text, expected);
  return value;
}

// What --resume takes from the checkpoint; the others the command line may set anew.
void refuse_change(bool given, std::string_view flag) {
  if (given) {
    fail<OptionError>(
        "--resume goes on with the settings of the checkpoint, so {} cannot be given; train anew with --init "
        "to change it",
        flag);
  }
}

}  // namespace

void add_learner_flags(Command& command, TrainFlags& flags) {
  command.add("-o,--output", flags.output, "the model file (default: TASK.model)");
  command.add("--learner", flags.learner, "see 'hinge learners' (default: the task's, see 'hinge tasks')");
  command.add("--init", flags.init, "begin at the weights of this model, or file of weights");
  command.add(
      "--stop-gap", flags.stop_gap,
      "stop when the duality gap is this part of the objective, say 0.01; asks the referee every epoch");
}

void add_train_flags(Command& command, TrainFlags& flags) {
  add_session_flags(command, flags, /*required=*/false);
  add_learner_flags(command, flags);
  command.add("--dev", flags.dev, "labelled data to score after every epoch");
  command.add("--log", flags.log, "a JSON line per epoch");
  command.add("--objective", flags.objective,
              "when to compute the exact objective (and gap): never, end (default), epoch");
  command.add("--time-budget", flags.time_budget, "stop after so many seconds of training");
  command.add("--early-stop", flags.early_stop,
              "stop after so many epochs without a better dev score; keep the best model");
  command.add("--checkpoint", flags.checkpoint, "a file to save the training to after every epoch");
  command.add("--checkpoint-every", flags.checkpoint_every, "epochs between checkpoints (default 1)");
  command.add("--resume", flags.resume,
              "go on from this checkpoint, with its settings: no TASK or TRAIN needed");
  command.add("--search", flags.search,
              "name=a,b,c: try these values of any option (several: a grid); keep the best on --dev");
  command.add("--cold", flags.cold, "no warm starts along the C of a search");
}

void read_train_config(TrainFlags& flags) {
  read_config(flags, {{"learner", &flags.learner},
                      {"output", &flags.output},
                      {"log", &flags.log},
                      {"objective", &flags.objective},
                      {"init", &flags.init},
                      {"stop_gap", &flags.stop_gap},
                      {"time_budget", &flags.time_budget},
                      {"early_stop", &flags.early_stop},
                      {"checkpoint", &flags.checkpoint},
                      {"checkpoint_every", &flags.checkpoint_every}});
}

Json to_json(const TrainFlags& flags, const OptionTable& task, const OptionTable& learner) {
  const auto optional = [](const std::optional<std::string>& text) { return text.value_or(""); };
  return Json()
      .set("task", flags.task)
      .set("train", flags.train)
      .set("dev", flags.dev)
      .set("tagger", flags.taggers)
      .set("jackknife", optional(flags.jackknife))
      .set("learner", flags.learner)
      .set("output", flags.output)
      .set("log", flags.log)
      .set("objective", flags.objective)
      .set("seed", flags.seed.value_or(1))
      .set("stop_gap", optional(flags.stop_gap))
      .set("time_budget", optional(flags.time_budget))
      .set("early_stop", optional(flags.early_stop))
      .set("checkpoint_every", optional(flags.checkpoint_every))
      .set("task_options", values_of(task))
      .set("learner_options", values_of(learner));
}

void resume_flags(TrainFlags& flags, const std::string& description) {
  refuse_change(!flags.learner.empty(), "--learner");
  refuse_change(!flags.init.empty(), "--init");
  refuse_change(!flags.search.empty(), "--search");
  refuse_change(!flags.dev.empty(), "--dev");
  refuse_change(!flags.features.empty(), "--features");
  refuse_change(!flags.column.empty(), "--column");
  refuse_change(!flags.taggers.empty(), "--tagger");
  refuse_change(flags.jackknife.has_value(), "--jackknife");
  refuse_change(flags.C.has_value(), "--C");
  refuse_change(flags.seed.has_value(), "--seed");
  refuse_change(!flags.parameters.empty(), "-p");
  refuse_change(!flags.config.empty(), "--config");
  const Json saved = Json::parse(description);
  const auto text = [&saved](const char* name) { return saved.text(name); };
  if (!flags.task.empty() && flags.task != text("task")) {
    fail<OptionError>("{}: is a checkpoint of the task {}, not {}; leave TASK out", flags.resume,
                      text("task"), flags.task);
  }
  const auto fill = [&text](std::string& flag, const char* name) {
    if (flag.empty()) flag = text(name);
  };
  const auto fill_optional = [&text](std::optional<std::string>& flag, const char* name) {
    if (!flag && !text(name).empty()) flag = text(name);
  };
  fill(flags.task, "task");
  fill(flags.train, "train");
  fill(flags.dev, "dev");
  fill(flags.taggers, "tagger");
  fill_optional(flags.jackknife, "jackknife");
  fill(flags.learner, "learner");
  fill(flags.output, "output");
  fill(flags.log, "log");
  fill(flags.objective, "objective");
  if (flags.checkpoint.empty()) flags.checkpoint = flags.resume;
  flags.seed = static_cast<std::uint64_t>(saved.whole("seed"));
  fill_optional(flags.stop_gap, "stop_gap");
  fill_optional(flags.time_budget, "time_budget");
  fill_optional(flags.early_stop, "early_stop");
  fill_optional(flags.checkpoint_every, "checkpoint_every");
  for (const char* owner : {"task_options", "learner_options"}) {
    const Json values = saved.object(owner);
    for (const std::string& name : values.names()) {
      if (name == "epochs" && flags.epochs) continue;
      flags.parameters.push_back(fmt::format("{}={}", name, values.text(name)));
    }
  }
}

TrainSettings settings_of(const TrainFlags& flags, std::int64_t epochs) {
  TrainSettings settings{
      .epochs = epochs, .seed = flags.seed.value_or(1), .objective = parse_objective(flags.objective)};
  settings.stop_gap = parse_number<double>(flags.stop_gap, "stop-gap", 0.0, "a number above 0");
  settings.time_budget =
      parse_number<double>(flags.time_budget, "time-budget", 0.0, "a number of seconds above 0");
  settings.patience =
      parse_number<std::int64_t>(flags.early_stop, "early-stop", 0, "a whole number of at least 1");
  if (settings.patience && flags.dev.empty())
    fail<OptionError>("--early-stop needs a development set to score on; give one with --dev");
  settings.checkpoint = flags.checkpoint;
  settings.checkpoint_every = parse_number<std::int64_t>(flags.checkpoint_every, "checkpoint-every", 0,
                                                         "a whole number of at least 1")
                                  .value_or(1);
  return settings;
}

void check_gap(const TrainSettings& settings, const Learner& learner, std::string_view name) {
  if (!settings.stop_gap || learner.dual()) return;
  fail<OptionError>("--stop-gap needs a learner with a dual, and {} has none; use dcd, or --time-budget",
                    name);
}

void check_outputs_differ(const TrainFlags& flags) {
  namespace fs = std::filesystem;
  const auto canonical = [](const std::string& path) {
    std::error_code ignored;
    return fs::weakly_canonical(path, ignored);
  };
  const auto check = [&canonical](std::string_view a, const std::string& path, std::string_view b,
                                  const std::string& other) {
    std::error_code ignored;
    const bool device = fs::exists(path, ignored) && !fs::is_regular_file(path, ignored);
    if (path.empty() || path == "-" || device || canonical(path) != canonical(other)) return;
    fail<OptionError>("{} and {} are both {}, but each is a file of its own; give two names", a, b, path);
  };
  check("-o", flags.output, "--log", flags.log);
  check("-o", flags.output, "--checkpoint", flags.checkpoint);
  check("--log", flags.log, "--checkpoint", flags.checkpoint);
}

Weights initial_weights(const std::string& path, const std::string& task, const TrainingSet& set) {
  if (!ModelFile::is_model(path)) return set.weights_of_text(path);
  return weights_of_model(ModelFile::open(path), task, set);
}

}  // namespace hinge::cli
