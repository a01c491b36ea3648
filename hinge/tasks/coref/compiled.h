// The training data of a resolver in a cache.
#pragma once

#include <memory>

#include "hinge/tasks/coref/training_data.h"

namespace hinge::coref {

// Writes the cache; the fingerprint must be set.
void write_parts(const DocumentParts& parts, BlockCacheWriter& out);
DocumentParts open_parts(std::shared_ptr<BlockCache> cache, const CorefOptions& options);

}  // namespace hinge::coref
