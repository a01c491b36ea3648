// The training data of a tagger, all that its training set is made of: read, or from a
// cache.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "hinge/tasks/tag/data.h"

namespace hinge::tag {

struct TagParts {
  Choice chosen;  // of templates
  Features features;
  Corpus corpus;
  std::optional<std::string> scheme;         // of constraints; absent: not settled yet
  std::optional<std::uint64_t> fingerprint;  // absent: not known yet
  std::shared_ptr<BlockCache> cache;         // where the data lies, or null
};

// `space` is where columns go; null: into memory.
TagParts read_parts(const Source& source, const TagOptions& options, const Known& known, SpillSpace* space);

// Writes the cache; scheme and fingerprint must be set.
void write_parts(const TagParts& parts, const TagOptions& options, BlockCacheWriter& out);
TagParts open_parts(std::shared_ptr<BlockCache> cache, const TagOptions& options);

// Whether the data of a cache may be trusted in these sentences.
bool is_sound(const TagParts& parts, std::size_t first, std::size_t last);

}  // namespace hinge::tag
