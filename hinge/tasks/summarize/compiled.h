// The training data of a summarizer in a cache.
#pragma once

#include <memory>

#include "hinge/tasks/summarize/training_data.h"

namespace hinge::summarize {

// Writes the cache; the fingerprint must be set.
void write_parts(TopicParts& parts, BlockCacheWriter& out);
TopicParts open_parts(std::shared_ptr<BlockCache> cache, const SummarizeOptions& options);

}  // namespace hinge::summarize
