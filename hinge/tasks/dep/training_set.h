// Trees that a parser is trained on.
#pragma once

#include <memory>
#include <string>

#include "hinge/features/label_set.h"
#include "hinge/tasks/dep/options.h"
#include "hinge/tasks/system.h"

namespace hinge::dep {

// `labels` are known from the start; the data may add to them. `pruner` is a
// model of order 1, for order 2.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const DepOptions& options,
                                               const LabelSet& labels, const std::string& pruner);

}  // namespace hinge::dep
