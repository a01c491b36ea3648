// The training data of a parser, all that its training set is made of: read, or from a
// cache.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "hinge/tasks/constituents/counted.h"

namespace hinge::constituents {

struct TreeParts {
  Counted counted;
  std::vector<Key> span_keys, word_keys;     // of the rows of grammar=none
  std::optional<WeightNames> names;          // if they are wanted
  std::optional<std::uint64_t> fingerprint;  // absent: not known yet
  std::shared_ptr<BlockCache> cache;         // where the data lies, or null
};

// `space` is where columns go; null: into memory.
TreeParts read_parts(const Source& source, const ConstOptions& options, const Known& known, Workers& workers,
                     SpillSpace* space);

// Writes the cache; the fingerprint must be set.
void write_parts(const TreeParts& parts, BlockCacheWriter& out);
TreeParts open_parts(const std::shared_ptr<BlockCache>& cache, const ConstOptions& options);

// Whether the data of a cache may be trusted in these sentences.
bool is_sound(const TreeParts& parts, const ConstOptions& options, std::size_t first, std::size_t last);

}  // namespace hinge::constituents
