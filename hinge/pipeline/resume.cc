#include "hinge/pipeline/resume.h"

#include "hinge/core/error.h"
#include "hinge/model/description.h"
#include "hinge/pipeline/record.h"

namespace hinge {
namespace {

constexpr std::string_view kTaskOptions = "task_options", kLearnerOptions = "learner_options";
constexpr std::string_view kEpochs = "epochs";  // every learner has it; see LearnerChoice::epochs()

}  // namespace

CheckpointHeader checkpoint_header(const Job& job, const TrainingSet& set) {
  JobSettings settings = job.settings;
  Json description = values_of(settings.table());
  description.set(kTaskOptions, values_of(job.task->options()));
  description.set(kLearnerOptions, values_of(job.learner->options()));
  const CheckpointHeader header{description.dump(), set.fingerprint()};
  if (job.resume && job.resume->header().fingerprint != header.fingerprint)
    fail<InputError>(
        "{}: is a checkpoint of other training data than {}; give the data it was made from as TASK TRAIN, "
        "or "
        "train anew",
        job.resume->path(), Source::of_files(job.settings.train).name());
  return header;
}

Job resume_job(const std::string& path, Spelling spelling) {
  CheckpointFile file(path);
  const Description saved(Json::parse(file.header().description), path);
  JobSettings settings{.spelling = spelling};
  OptionTable table = settings.table();
  for (const Option& option : table.options()) {
    // Earlier versions left defaults empty.
    const std::string value = saved.json().has(option.name()) ? saved.json().shown(option.name()) : "";
    if (!value.empty()) table.restore(option.name(), value);
  }
  settings.checkpoint = path;
  Job job(settings);
  restore_values(job.task->options(), saved.options(kTaskOptions));
  restore_values(job.learner->options(), saved.options(kLearnerOptions));
  job.resume.emplace(std::move(file));
  return job;
}

void change(OptionTable& table, std::string_view name, std::string_view value, std::string_view flag) {
  const auto now = [&] { return table.has(name) ? table.find(name)->value() : ""; };
  const std::string before = now();
  table.set(name, value);
  if (now() != before && name != kEpochs && !table.find(name)->has(Trait::kResume)) refuse_change(flag);
}

void refuse_change(std::string_view flag) {
  fail<OptionError>(
      "--resume keeps the settings of the checkpoint, so {} cannot be given; train anew with --init "
      "to change it",
      flag);
}

}  // namespace hinge
