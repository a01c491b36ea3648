#include "cli/train.h"

#include <fmt/core.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/console.h"
#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/files/output_file.h"
#include "hinge/pipeline/record.h"
#include "hinge/pipeline/resume.h"

namespace hinge::cli {
namespace {

// Output files, opened before training so that a bad path is reported at once.
struct Outputs {
  explicit Outputs(const JobSettings& settings) : model(settings.output) {
    if (!settings.log.empty()) log.emplace(settings.log);
    if (settings.checkpoint.empty()) return;
    if (std::filesystem::exists(settings.checkpoint) &&
        !std::filesystem::is_regular_file(settings.checkpoint))
      fail<OptionError>("--checkpoint {} is not a file, but is replaced after every epoch; give a file",
                        settings.checkpoint);
    OutputFile trial(settings.checkpoint);
  }

  OutputFile model;
  std::optional<OutputFile> log;
};

void run_one(Job job, const TrainFlags& flags) {
  check_files(job, {.inputs = {{"--config", flags.config}, {"--resume", flags.resume}}});
  Outputs outputs(job.settings);
  Workers workers(job.settings.thread_count());
  Console console(flags.quiet);
  const JobData data = load(job, workers, console);
  catch_interrupts();
  const Learned learned = learn(job, data, workers, console);
  const TrainResult& training = learned.training;
  if (const Communicator& ranks = this_communicator(); ranks.size() > 1)
    console.say(fmt::format("{} processes; the first sent {:.3f} MB in {} epochs", ranks.size(),
                            static_cast<double>(ranks.bytes_sent()) / 1e6, training.history.size()));

  // Only rank 0 writes; the names in a model need not be in memory twice on the others.
  const bool writes = this_communicator().rank() == 0;
  const std::string bytes = writes ? model_bytes(job, data, learned) : "";
  outputs.model.write(bytes);
  if (outputs.log) {
    for (const EpochReport& report : training.history)
      outputs.log->write(to_json_line(report, job.settings.learner));
  }
  commit_together(outputs.model, outputs.log);
  console.say(fmt::format(
      "{}: {:.1f} MB{}", job.settings.output, static_cast<double>(bytes.size()) / 1e6,
      job.settings.early_stop ? fmt::format(", epoch {}", training.history[training.chosen].epoch) : ""));
}

void run_train(TrainFlags& flags) {
  if (!flags.resume.empty()) {
    if (!flags.search.empty()) refuse_change("--search");
    if (flags.folds != 0) refuse_change("--folds");
    return run_one(resumed_job(flags, flags.resume), flags);
  }
  const GivenOnce given = given_once(flags);
  for (const std::string& axis : flags.search) {
    GivenOnce all(given);
    if (axis.starts_with("learner=")) all.add(flags.settings);  // other settings are not searched
    all.add_pairs({axis}, "--search");
  }
  read_config(flags);
  JobSettings settings = settings_of(flags);
  if (settings.task.empty() || settings.train.empty())
    fail<OptionError>("{} is required; see 'hinge train --help'", settings.task.empty() ? "TASK" : "TRAIN");
  if (settings.output.empty()) settings.output = settings.task + ".model";
  check_folds(settings, flags);
  if (!flags.search.empty()) return run_search(settings, flags);
  if (flags.folds > 0) {
    catch_interrupts();
    run_folds(settings, flags);
    if (interrupted()) fail<OptionError>("interrupted; no model was trained on all data");
  }
  run_one(job_of(settings, flags), flags);
}

}  // namespace

void add_train(Program& program) {
  Command command = program.add("train", "learn a model from labelled data");
  auto flags = std::make_shared<TrainFlags>();
  add_setting(command, *flags, "task", "TASK");
  add_setting(command, *flags, "train", "TRAIN");
  add_other_settings(command, *flags);
  add_task_flags(command, flags->task, task_table(), Trait::kFlag);
  add_option_flags(command, *flags);
  add_config_flag(command, *flags);
  command.add("--resume", flags->resume,
              "resume from this checkpoint, with its settings; TASK and TRAIN are not needed")
      .type("FILE");
  command.begin_group("Search");
  command.add_pairs("--search", flags->search,
                    "name=a,b,c: try these values of an option, or learner=a,b (several make a grid); auto: "
                    "random values until --time-budget is over; keep the best on --dev, or by --folds");
  command.add("--folds", flags->folds,
              "cross-validate: learn all but one of N parts and score that one, for each; then train on all");
  command.add("--cold", flags->cold, "in a search, train every C from scratch");
  command.run([flags] { run_train(*flags); });
}

}  // namespace hinge::cli
