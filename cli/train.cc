#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/session.h"
#include "hinge/core/error.h"
#include "hinge/core/output_file.h"

namespace hinge::cli {
namespace {

struct TrainFlags : SessionFlags {
  std::string learner;
  std::string output;
  std::string log;
  std::string objective = "end";
};

ObjectiveWhen parse_objective(const std::string& when) {
  if (when == "never") return ObjectiveWhen::kNever;
  return when == "epoch" ? ObjectiveWhen::kEveryEpoch : ObjectiveWhen::kEnd;
}

nlohmann::ordered_json values_of(const OptionTable& table) {
  nlohmann::ordered_json values;
  for (const Option& option : table.options()) values[option.name()] = option.value();
  return values;
}

std::string model_bytes(const TrainingSet& set, const Weights& w, const TrainFlags& flags,
                        const OptionTable& task, const OptionTable& learner) {
  nlohmann::json meta{{"hinge", HINGE_VERSION},          {"task", flags.task},
                      {"learner", flags.learner},        {"seed", flags.seed.value_or(1)},
                      {"task_options", values_of(task)}, {"learner_options", values_of(learner)}};
  ModelWriter writer;
  set.save(w, writer, meta);
  writer.add("meta", meta.dump());
  return writer.bytes();
}

void write_log(const std::string& path, const TrainResult& result, const std::string& learner) {
  if (path.empty()) return;
  OutputFile log(path);
  for (const EpochReport& report : result.history) log.write(to_json_line(report, learner));
  log.commit();
}

void run_train(TrainFlags flags) {
  read_config(flags, &flags.learner, &flags.output, &flags.log);
  if (flags.learner.empty()) flags.learner = kDefaultLearner;
  if (flags.output.empty()) flags.output = flags.task + ".model";
  const auto task = find_task(flags.task).choose();
  const auto choice = choose_learner(flags.learner);
  apply_options(flags, task->options(), choice->options());
  OutputFile model(flags.output);  // before the work, so that a bad path is told at once

  const auto set = task->load(flags.train);
  if (!flags.quiet) fmt::print(stderr, "{}\n", set->summary());
  Workers workers(thread_count(flags));
  const auto learner = choice->start(set->task(), workers);
  TrainSettings settings{.epochs = choice->epochs(),
                         .seed = flags.seed.value_or(1),
                         .objective = parse_objective(flags.objective)};
  if (!flags.dev.empty()) settings.dev_scores = set->scorer(flags.dev);
  catch_interrupts();
  Console console(flags.quiet, static_cast<std::int64_t>(set->task().size()), settings.epochs);
  const TrainResult result = train(set->task(), *learner, settings, workers, console);

  const std::string bytes = model_bytes(*set, result.weights, flags, task->options(), choice->options());
  model.write(bytes);
  model.commit();
  write_log(flags.log, result, flags.learner);
  if (!flags.quiet)
    fmt::print(stderr, "{}: {:.1f} MB\n", flags.output, static_cast<double>(bytes.size()) / 1e6);
}

}  // namespace

void add_train(CLI::App& app) {
  auto* command = app.add_subcommand("train", "learn a model from labelled data");
  auto flags = std::make_shared<TrainFlags>();
  add_session_flags(*command, *flags);
  command->add_option("--dev", flags->dev, "labelled data to score after every epoch");
  command->add_option("-o,--output", flags->output, "the model file (default: TASK.model)");
  command->add_option("--learner", flags->learner,
                      fmt::format("see 'hinge learners' (default {})", kDefaultLearner));
  command->add_option("--log", flags->log, "a JSON line per epoch");
  command
      ->add_option("--objective", flags->objective,
                   "when to compute the exact objective (and gap): never, end, epoch")
      ->check(CLI::IsMember({"never", "end", "epoch"}));
  command->callback([flags] { run_train(*flags); });
}

}  // namespace hinge::cli
