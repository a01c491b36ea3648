// From a task chosen and data to a training set, with all that comes before:
// some tasks are built on a model of another, learned first from the same data.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "hinge/core/threads.h"
#include "hinge/learn/driver/train.h"
#include "hinge/tasks/system.h"

namespace hinge {

// A first stage is learned by the perceptron, in a few epochs; `observer` sees
// them, after `say` was told what they are for.
std::unique_ptr<TrainingSet> load_training(TaskChoice& task, const Source& source, Workers& workers,
                                           Observer& observer,
                                           const std::function<void(const std::string&)>& say);

// The weights of a model to begin from; throws ModelError where it is one of
// another task.
Weights weights_of_model(const ModelFile& model, std::string_view task, const TrainingSet& set);

}  // namespace hinge
