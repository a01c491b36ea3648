#include "cli/train.h"

#include <fmt/core.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/console.h"
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

  const std::string bytes = model_bytes(job, data, learned);
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
    return run_one(resumed_job(flags, flags.resume), flags);
  }
  read_config(flags);
  JobSettings settings = settings_of(flags);
  if (settings.task.empty() || settings.train.empty())
    fail<OptionError>("{} is required; see 'hinge train --help'", settings.task.empty() ? "TASK" : "TRAIN");
  if (settings.output.empty()) settings.output = settings.task + ".model";
  if (flags.search.empty()) {
    run_one(job_of(settings, flags), flags);
  } else {
    run_search(settings, flags);
  }
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
              "resume from this checkpoint, with its settings; TASK and TRAIN are not needed");
  command.add("--search", flags->search,
              "name=a,b,c: try these values of an option (repeat for a grid); keep the best on --dev");
  command.add("--cold", flags->cold, "in a search, train every C from scratch");
  command.run([flags] { run_train(*flags); });
}

}  // namespace hinge::cli
