#include <fmt/core.h>

#include <memory>

#include "cli/commands.h"
#include "cli/job_flags.h"
#include "cli/streams.h"
#include "hinge/core/error.h"
#include "hinge/core/join.h"
#include "hinge/core/threads.h"
#include "hinge/evaluate/confusion.h"
#include "hinge/pipeline/annotation.h"
#include "hinge/tasks/registry.h"

namespace hinge::cli {
namespace {

struct EvaluateFlags {
  std::string subject;  // a model, or a task
  std::string data;
  std::string gold;
  std::string system;
  std::vector<std::string> taggers;
  OptionFlags task;  // options that have their own flag
  std::vector<std::string> parameters;
  std::int64_t threads = 0;
  bool json = false;
};

// By gold label, then by predicted label.
Json confusion_json(const std::vector<Confusion>& table) {
  Json json;
  for (std::size_t begin = 0, end = 0; begin < table.size(); begin = end) {
    Json row;
    for (; end < table.size() && table[end].gold == table[begin].gold; ++end)
      row.set(table[end].predicted, table[end].count);
    json.set(table[begin].gold, row);
  }
  return json;
}

std::string to_json(const Evaluation& evaluation) {
  Json json;
  for (const auto& [name, value] : evaluation.scores) json.set(name, value);
  Json detail;
  for (const auto& [type, scores] : evaluation.detail) {
    Json row;
    for (const auto& [name, value] : scores) row.set(name, value);
    detail.set(type, row);
  }
  if (!evaluation.confusion.empty()) detail.set("confusion", confusion_json(evaluation.confusion));
  if (detail.size() > 0) json.set("detail", detail);
  return json.dump() + "\n";
}

NamedValues options_of(const EvaluateFlags& flags) {
  GivenOnce once;
  once.add(flags.task);
  once.add_pairs(flags.parameters);
  NamedValues options = flags.task.given();
  for (const std::string& parameter : flags.parameters) options.push_back(split_parameter(parameter));
  return options;
}

Evaluation evaluate_files(const EvaluateFlags& flags) {
  const auto task = find_task(flags.subject).choose();
  for (const auto& [name, value] : options_of(flags)) task->options().set(name, value);
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
  for (const auto& [name, value] : options_of(flags)) {
    if (predictor->options() == nullptr)
      fail<OptionError>("{}: its task has no evaluation option '{}'; leave it out", flags.subject, name);
    predictor->options()->set(name, value);
  }
  Workers workers(thread_count(flags.threads));
  return open_annotators(join(flags.taggers, ","), "--tagger").evaluate(*predictor, flags.data, workers);
}

void run_evaluate(const EvaluateFlags& flags) {
  const Evaluation evaluation = flags.system.empty() ? evaluate_model(flags) : evaluate_files(flags);
  constexpr std::size_t kErrorsShown = 10;
  print(flags.json ? to_json(evaluation)
                   : evaluation.text + confusion_text(evaluation.confusion, kErrorsShown));
}

}  // namespace

void add_evaluate(Program& program) {
  Command command = program.add("evaluate", "score a model on labelled data, or an output file against gold");
  auto flags = std::make_shared<EvaluateFlags>();
  command.add("MODEL|TASK", flags->subject, "a model file; or a task, with --system").required();
  command.add("GOLD", flags->data, "labelled data for the model");
  command.add("--gold", flags->gold,
              "labelled data to compare with (default: the second-last column of --system)").type("FILE");
  command.add("--system", flags->system, "the output to score").type("FILE");
  command.add_pairs("-p", flags->parameters, "options of the task: -p a=1 b=2");
  add_task_flags(command, flags->task, task_table(), Trait::kEvaluate);
  command.add("--tagger,--parser", flags->taggers, kTaggerHelp).type("MODEL,...");
  command.add("--threads", flags->threads, kThreadsHelp);
  command.add("--json", flags->json, "one JSON object, scores in percent");
  command.run([flags] { run_evaluate(*flags); });
}

}  // namespace hinge::cli
