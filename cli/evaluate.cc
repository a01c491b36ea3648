#include <fmt/core.h>

#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/session.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct EvaluateFlags {
  std::string subject;  // a model, or a task
  std::string data;
  std::string gold;
  std::string system;
  std::string taggers;
  std::vector<std::string> references;
  std::vector<std::string> parameters;
  std::int64_t threads = 0;
  bool json = false;
};

std::string to_json(const Evaluation& evaluation) {
  Json json;
  for (const auto& [name, value] : evaluation.scores) json.set(name, value);
  Json detail;
  for (const auto& [type, scores] : evaluation.detail) {
    Json row;
    for (const auto& [name, value] : scores) row.set(name, value);
    detail.set(type, row);
  }
  if (detail.size() > 0) json.set("detail", detail);
  return json.dump() + "\n";
}

Evaluation evaluate_files(const EvaluateFlags& flags) {
  const auto task = find_task(flags.subject).choose();
  for (const std::string& parameter : flags.parameters) {
    const auto [name, value] = split_parameter(parameter);
    task->options().set(name, value);
  }
  return task->evaluate(flags.gold, flags.system);
}

Evaluation evaluate_model(const EvaluateFlags& flags) {
  if (flags.data.empty()) {
    fail<OptionError>(
        "give a model and labelled data (hinge evaluate MODEL GOLD), or a task and its output (hinge "
        "evaluate TASK --system FILE [--gold FILE])");
  }
  const ModelFile file = ModelFile::open(flags.subject);
  const auto predictor = open_predictor(file);
  std::vector<std::string> parameters = flags.parameters;
  if (!flags.references.empty()) parameters.push_back(fmt::format("refs={}", join(flags.references, ",")));
  for (const std::string& parameter : parameters) {
    const auto [name, value] = split_parameter(parameter);
    if (predictor->options() == nullptr)
      fail<OptionError>("{}: its task has no option '{}' of evaluation; leave -p and --refs out",
                        flags.subject, name);
    predictor->options()->set(name, value);
  }
  Workers workers(hinge::thread_count(flags.threads));
  return predictor->evaluate(open_annotators(flags.taggers).annotate(flags.data, workers), workers);
}

void run_evaluate(const EvaluateFlags& flags) {
  const Evaluation evaluation = flags.system.empty() ? evaluate_model(flags) : evaluate_files(flags);
  fmt::print("{}", flags.json ? to_json(evaluation) : evaluation.text);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  auto* command =
      app.add_subcommand("evaluate", "score a model on labelled data, or an output file against gold");
  auto flags = std::make_shared<EvaluateFlags>();
  command->add_option("MODEL|TASK", flags->subject, "a model file; or a task, with --system")->required();
  command->add_option("GOLD", flags->data, "labelled data for the model");
  command->add_option(
      "--gold", flags->gold,
      "labelled data to compare with; without it, gold is the column before the last of --system");
  command->add_option("--system", flags->system, "the output to score");
  command->add_option("-p", flags->parameters, "name=value: an option of the task")->allow_extra_args(false);
  command->add_option("--refs", flags->references, "references, for tasks that need them; may be repeated")
      ->allow_extra_args(false);
  command->add_option("--tagger", flags->taggers, kTaggerHelp);
  command->add_option("--threads", flags->threads, kThreadsHelp);
  command->add_flag("--json", flags->json, "one JSON object, scores in percent");
  command->callback([flags] { run_evaluate(*flags); });
}

}  // namespace hinge::cli
