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

// The same in two steps: data that need not fit in memory is compiled, then opened.
void compile_training_set(const Source& source, const ClassifyOptions& options, const Known& known,
                          SpillSpace& space, BlockCacheWriter& out);
std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const ClassifyOptions& options);

}  // namespace hinge::classify
