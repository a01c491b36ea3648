#include <fmt/core.h>

#include <cstdio>

#include "cli/commands.h"
#include "cli/training.h"
#include "hinge/core/error.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/choice.h"
#include "hinge/pipeline/record.h"

namespace hinge::cli {
namespace {

// Files to write, opened before the work, so that a bad path is told at once.
struct Outputs {
  explicit Outputs(const TrainFlags& flags) : model(flags.output) {
    check_outputs_differ(flags);
    if (!flags.log.empty()) log.emplace(flags.log);
    if (!flags.checkpoint.empty()) OutputFile trial(flags.checkpoint);
  }

  OutputFile model;
  std::optional<OutputFile> log;
};

void check_same_data(const CheckpointFile& checkpoint, const TrainFlags& flags, std::uint64_t fingerprint) {
  if (checkpoint.header().fingerprint == fingerprint) return;
  fail<InputError>(
      "{}: is a checkpoint of other training data than {}; give the data it was made from as TASK TRAIN, or "
      "train anew",
      flags.resume, flags.train);
}

void run_one(TrainFlags& flags) {
  std::optional<CheckpointFile> checkpoint;
  if (!flags.resume.empty()) {
    checkpoint.emplace(flags.resume);
    resume_flags(flags, checkpoint->header().description);
  }
  const auto task = find_task(flags.task).choose();
  const auto choice = choose_learner(find_task(flags.task), flags.learner);
  apply_options(flags, task->options(), choice->options());
  TrainSettings settings = settings_of(flags, choice->epochs());
  Outputs outputs(flags);

  Workers workers(thread_count(flags));
  const auto set = load_set(flags, *task, workers);
  const auto learner = choice->start(set->task(), workers);
  check_gap(settings, *learner, flags.learner);
  if (!flags.init.empty()) learner->start_from(initial_weights(flags.init, flags.task, *set));
  if (!flags.dev.empty()) settings.dev_scores = score_dev(flags, *set, workers);
  if (checkpoint || !settings.checkpoint.empty()) {
    settings.checkpoint_header = {to_json(flags, task->options(), choice->options()).dump(),
                                  set->fingerprint()};
    if (checkpoint) check_same_data(*checkpoint, flags, settings.checkpoint_header.fingerprint);
    settings.resume = checkpoint ? &*checkpoint : nullptr;
  }
  catch_interrupts();
  Console console(flags.quiet, static_cast<std::int64_t>(set->task().size()), settings.epochs);
  const Loss loss = learner->objective().loss;
  const TrainResult result = train(set->task(), *learner, settings, workers, console);

  const std::string bytes =
      model_bytes(*set, result.weights, {task->options(), choice->options(), settings.seed, loss});
  outputs.model.write(bytes);
  outputs.model.commit();
  if (outputs.log) {
    for (const EpochReport& report : result.history) outputs.log->write(to_json_line(report, flags.learner));
    outputs.log->commit();
  }
  if (!flags.quiet) {
    fmt::print(stderr, "{}: {:.1f} MB{}\n", flags.output, static_cast<double>(bytes.size()) / 1e6,
               settings.patience ? fmt::format(", epoch {}", result.history[result.chosen].epoch) : "");
  }
}

void run_train(TrainFlags flags) {
  if (flags.resume.empty()) {
    read_train_config(flags);
    if (flags.task.empty() || flags.train.empty()) {
      fail<OptionError>("{} is required; see 'hinge train --help'", flags.task.empty() ? "TASK" : "TRAIN");
    }
    if (flags.learner.empty()) flags.learner = find_task(flags.task).learner;
    if (flags.output.empty()) flags.output = flags.task + ".model";
  }
  if (flags.search.empty() || !flags.resume.empty()) {
    run_one(flags);
  } else {
    run_search(flags);
  }
}

}  // namespace

void add_train(CLI::App& app) {
  auto* command = app.add_subcommand("train", "learn a model from labelled data");
  auto flags = std::make_shared<TrainFlags>();
  add_train_flags(*command, *flags);
  command->callback([flags] { run_train(*flags); });
}

}  // namespace hinge::cli
