// The training data of a reranker.
#pragma once

#include <memory>

#include "hinge/tasks/rerank/options.h"
#include "hinge/tasks/rerank/training_data.h"
#include "hinge/tasks/system.h"

namespace hinge::rerank {

// Throws ModelError if the model belongs to another task.
Known read_known(const ModelFile& model);

// Keeps what is known; the lists may add to it.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const RerankOptions& options,
                                               const Known& known);

// The same in two steps: data that need not fit in memory is compiled, then opened.
void compile_training_set(const Source& source, const RerankOptions& options, const Known& known,
                          Workers& workers, SpillSpace& space, BlockCacheWriter& out);
std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const RerankOptions& options);

}  // namespace hinge::rerank
