// The training data of a resolver.
#pragma once

#include <memory>

#include "hinge/tasks/coref/options.h"
#include "hinge/tasks/coref/training_data.h"
#include "hinge/tasks/system.h"

namespace hinge::coref {

// Throws ModelError if the model belongs to another task.
Known read_known(const ModelFile& model);

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const CorefOptions& options,
                                               const Known& known, Workers& workers);

// The same in two steps: data that need not fit in memory is compiled, then opened.
void compile_training_set(const Source& source, const CorefOptions& options, const Known& known,
                          Workers& workers, SpillSpace& space, BlockCacheWriter& out);
std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const CorefOptions& options);

}  // namespace hinge::coref
