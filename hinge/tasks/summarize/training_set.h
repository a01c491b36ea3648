// The training data of a summarizer.
#pragma once

#include <memory>

#include "hinge/core/threads.h"
#include "hinge/tasks/summarize/options.h"
#include "hinge/tasks/summarize/phrases.h"
#include "hinge/tasks/system.h"

namespace hinge::summarize {

// `known` are the phrases of the model that training continues from; the data adds to them.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const SummarizeOptions& options,
                                               const Phrases& known, Workers& workers);

}  // namespace hinge::summarize
