// The training data of a summarizer.
#pragma once

#include <memory>

#include "hinge/core/threads.h"
#include "hinge/files/block_cache.h"
#include "hinge/tasks/summarize/options.h"
#include "hinge/tasks/summarize/phrases.h"
#include "hinge/tasks/system.h"

namespace hinge::summarize {

// `known` are the phrases of the model that training continues from; the data adds to them.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const SummarizeOptions& options,
                                               const Phrases& known, Workers& workers);

// The same in two steps: data that need not fit in memory is compiled, then opened.
void compile_training_set(const Source& source, const SummarizeOptions& options, const Phrases& known,
                          Workers& workers, SpillSpace& space, BlockCacheWriter& out);
std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache,
                                               const SummarizeOptions& options);

}  // namespace hinge::summarize
