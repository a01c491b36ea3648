// `hinge compare`: one training set, several learners, one referee.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <sstream>

#include "cli/commands.h"
#include "cli/session.h"
#include "hinge/core/error.h"
#include "hinge/core/output_file.h"

namespace hinge::cli {
namespace {

struct CompareFlags : SessionFlags {
  std::string learners;
  std::string output;
};

struct Outcome {
  std::string learner;
  std::string_view loss;
  std::vector<EpochReport> history;
};

std::vector<std::string> split_names(const std::string& text) {
  std::vector<std::string> names;
  std::stringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) names.push_back(name);
  return names;
}

// Options given with -p go to every learner that has them; at least one must.
std::unique_ptr<LearnerChoice> configure(const CompareFlags& flags, const std::string& name) {
  auto choice = choose_learner(name);
  const auto set = [&](std::string_view option, std::string_view value) {
    if (choice->options().has(option)) choice->options().set(option, value);
  };
  if (flags.epochs) set("epochs", *flags.epochs);
  if (flags.C) set("C", *flags.C);
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    set(name, value);
  }
  return choice;
}

void apply_task_options(const CompareFlags& flags, const std::vector<std::string>& learners,
                        OptionTable& task) {
  if (!flags.features.empty()) task.set("features", flags.features);
  if (!flags.column.empty()) task.set("column", flags.column);
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    bool known = false;
    for (const std::string& learner : learners) known = known || choose_learner(learner)->options().has(name);
    if (!known) task.set(name, value);
  }
}

std::string table_of(const std::vector<Outcome>& outcomes) {
  std::string text =
      "| learner | loss | epochs | dev | objective | gap | decode s/epoch | update s/epoch | total s/epoch | "
      "train s |\n";
  text += "|---|---|---|---|---|---|---|---|---|---|\n";
  for (const Outcome& outcome : outcomes) {
    const EpochReport& last = outcome.history.back();
    double decode = 0.0;
    double update = 0.0;
    for (const EpochReport& report : outcome.history) {
      decode += report.decode_seconds;
      update += report.update_seconds;
    }
    const auto epochs = static_cast<double>(outcome.history.size());
    std::string gap = "-";
    if (last.objective && last.objective->gap())
      gap = fmt::format("{:.3g}{}", *last.objective->gap(), last.objective->estimate ? " (estimate)" : "");
    text += fmt::format(
        "| {} | {} | {} | {:.2f} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.2f} |\n", outcome.learner,
        outcome.loss, outcome.history.size(), last.dev.empty() ? 0.0 : last.dev[0].second,
        last.objective ? fmt::format("{:.4f}", last.objective->primal) : "-", gap, decode / epochs,
        update / epochs, last.training_seconds / epochs, last.training_seconds);
  }
  return text;
}

void run_compare(CompareFlags flags) {
  read_config(flags, nullptr, &flags.output, nullptr);
  const std::vector<std::string> learners = split_names(flags.learners);
  if (learners.empty()) fail<OptionError>("learners is empty; give for instance --learners perceptron,dcd");
  const auto task = find_task(flags.task).choose();
  apply_task_options(flags, learners, task->options());
  std::vector<std::unique_ptr<LearnerChoice>> choices;
  for (const std::string& name : learners) choices.push_back(configure(flags, name));
  std::filesystem::create_directories(flags.output);
  OutputFile log(flags.output + "/compare.jsonl");
  OutputFile table(flags.output + "/table.md");

  const auto set = task->load(flags.train);
  const auto dev = set->scorer(flags.dev);
  if (!flags.quiet) fmt::print(stderr, "{}\n", set->summary());
  catch_interrupts();
  Workers workers(thread_count(flags));
  std::vector<Outcome> outcomes;
  for (std::size_t l = 0; l < learners.size() && !interrupted(); ++l) {
    if (!flags.quiet) fmt::print(stderr, "{}\n", learners[l]);
    const TrainSettings settings{.epochs = choices[l]->epochs(),
                                 .seed = flags.seed.value_or(1),
                                 .objective = ObjectiveWhen::kEveryEpoch,
                                 .dev_scores = dev};
    const auto learner = choices[l]->start(set->task(), workers);
    Console console(flags.quiet, static_cast<std::int64_t>(set->task().size()), settings.epochs);
    outcomes.push_back({learners[l], find_learner(learners[l]).loss,
                        train(set->task(), *learner, settings, workers, console).history});
    for (const EpochReport& report : outcomes.back().history) log.write(to_json_line(report, learners[l]));
  }
  table.write(table_of(outcomes));
  log.commit();
  table.commit();
  fmt::print("{}", table_of(outcomes));
}

}  // namespace

void add_compare(CLI::App& app) {
  auto* command =
      app.add_subcommand("compare", "train several learners on one set; a table and a log of every epoch");
  auto flags = std::make_shared<CompareFlags>();
  add_session_flags(*command, *flags);
  command->add_option("DEV", flags->dev, "labelled data to score on")->required();
  command->add_option("--learners", flags->learners, "names separated by commas")->required();
  command->add_option("-o,--output", flags->output, "a folder for table.md and compare.jsonl")->required();
  command->callback([flags] { run_compare(*flags); });
}

}  // namespace hinge::cli
