// The training data of a summarizer.
#pragma once

#include <memory>

#include "hinge/core/threads.h"
#include "hinge/tasks/summarize/options.h"
#include "hinge/tasks/system.h"

namespace hinge::summarize {

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const SummarizeOptions& options,
                                               Workers& workers);

}  // namespace hinge::summarize
