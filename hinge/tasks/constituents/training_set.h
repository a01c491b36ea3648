// Trees, their grammar and their pruned forests, ready for learning.
#pragma once

#include "hinge/tasks/constituents/counted.h"

namespace hinge::constituents {

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const ConstOptions& options,
                                               const Known& known, Workers& workers);

// The same in two steps: data that need not fit in memory is compiled, then opened.
void compile_training_set(const Source& source, const ConstOptions& options, const Known& known,
                          Workers& workers, SpillSpace& space, BlockCacheWriter& out);
std::unique_ptr<TrainingSet> open_training_set(const std::shared_ptr<BlockCache>& cache,
                                               const ConstOptions& options);

}  // namespace hinge::constituents
