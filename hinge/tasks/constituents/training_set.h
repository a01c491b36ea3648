// Trees, their grammar and their pruned forests, ready for learning.
#pragma once

#include "hinge/tasks/constituents/data.h"

namespace hinge::constituents {

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const ConstOptions& options,
                                               const Known& known, Workers& workers);

// For grammar=none.
std::unique_ptr<TrainingSet> make_span_training_set(const Source& source, const ConstOptions& options,
                                                    const Known& known, Workers& workers);

}  // namespace hinge::constituents
