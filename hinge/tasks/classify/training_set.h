// The training data of a classifier.
#pragma once

#include <memory>

#include "hinge/tasks/classify/data.h"
#include "hinge/tasks/classify/options.h"
#include "hinge/tasks/system.h"

namespace hinge::classify {

// Keeps what is known; the texts may add to it.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const ClassifyOptions& options,
                                               const Known& known);

}  // namespace hinge::classify
