// What a checkpoint records of its job: every setting and option, separately for
// the task, the learner and the training run.
#pragma once

#include <string>
#include <string_view>

#include "hinge/pipeline/job.h"

namespace hinge {

// Throws InputError if the job resumes a checkpoint of other data.
CheckpointHeader checkpoint_header(const Job& job, const TrainingSet& set);

// The job of a checkpoint; it keeps saving to the same file. Throws ModelError if
// the file is not a checkpoint.
Job resume_job(const std::string& path, Spelling spelling);

// Sets an option of a resumed job. Throws OptionError, naming `flag`, if that would
// change the result: only options with Trait::kResume and the number of epochs may
// change.
void change(OptionTable& table, std::string_view name, std::string_view value, std::string_view flag);
[[noreturn]] void refuse_change(std::string_view flag);

}  // namespace hinge
