// The training data of a reranker in a cache: lists with their costs, or pairs.
#pragma once

#include <memory>

#include "hinge/tasks/rerank/training_data.h"

namespace hinge::rerank {

// Writes the cache; the fingerprint must be set.
void write_parts(const ListParts& parts, BlockCacheWriter& out);
ListParts open_parts(std::shared_ptr<BlockCache> cache, const RerankOptions& options);

// Whether the data of a cache may be trusted in these examples.
bool is_sound(const ListParts& parts, std::size_t first, std::size_t last);

}  // namespace hinge::rerank
