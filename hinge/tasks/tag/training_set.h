// The training data of a tagger.
#pragma once

#include <memory>

#include "hinge/tasks/system.h"
#include "hinge/tasks/tag/features.h"
#include "hinge/tasks/tag/options.h"

namespace hinge::tag {

// Keeps what is known; the data may add to it.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const TagOptions& options,
                                               const Known& known);

}  // namespace hinge::tag
