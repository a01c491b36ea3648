// The training data of a classifier, all that its training set is made of: read, or from
// a cache.
#pragma once

#include <memory>
#include <optional>

#include "hinge/tasks/classify/data.h"

namespace hinge::classify {

struct TextParts {
  Features features;
  Corpus corpus;
  std::optional<std::uint64_t> fingerprint;  // absent: not known yet
  std::shared_ptr<BlockCache> cache;         // where the data lies, or null
};

// `space` is where columns go; null: into memory.
TextParts read_parts(const Source& source, const ClassifyOptions& options, const Known& known,
                     SpillSpace* space);

// Writes the cache; the fingerprint must be set.
void write_parts(const TextParts& parts, const ClassifyOptions& options, BlockCacheWriter& out);
TextParts open_parts(std::shared_ptr<BlockCache> cache, const ClassifyOptions& options);

// Whether the data of a cache may be trusted in these texts.
bool is_sound(const TextParts& parts, std::size_t first, std::size_t last);

}  // namespace hinge::classify
