// The training data of a tagger.
#pragma once

#include <memory>

#include "hinge/files/block_cache.h"
#include "hinge/tasks/system.h"
#include "hinge/tasks/tag/features.h"
#include "hinge/tasks/tag/options.h"

namespace hinge::tag {

// Keeps what is known; the data may add to it.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const TagOptions& options,
                                               const Known& known);

// The same in two steps: data that need not fit in memory is compiled, then opened.
void compile_training_set(const Source& source, const TagOptions& options, const Known& known,
                          SpillSpace& space, BlockCacheWriter& out);
std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache, const TagOptions& options,
                                               const Known& known);

}  // namespace hinge::tag
