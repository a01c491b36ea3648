// The training data of a parser, all that its training set is made of: read, or from a
// cache.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hinge/tasks/dep/data.h"
#include "hinge/tasks/dep/names.h"
#include "hinge/tasks/dep/second_task.h"

namespace hinge::dep {

struct TreeParts {
  Corpus corpus;
  CandidateArcs candidates;                  // for second order, like the pruner
  std::string pruner;                        // a model
  std::vector<Key> dictionary;               // by number; empty if hashed
  FieldTexts texts;                          // those of the corpus, only if names are wanted
  std::optional<TreeNames> names;            // if wanted
  std::optional<std::uint64_t> fingerprint;  // absent: not known yet
  SpillSpace* space = nullptr;               // where columns go; null: into memory
  std::shared_ptr<BlockCache> cache;         // where the data lies, or null
};

// Writes the cache; dictionary and fingerprint must be set.
void write_parts(TreeParts& parts, BlockCacheWriter& out);
TreeParts open_parts(std::shared_ptr<BlockCache> cache, const FactorTemplateSet& templates, bool named);

// Whether the data of a cache may be trusted in these sentences.
bool is_sound(const TreeParts& parts, const TreeLayout& layout, std::size_t first, std::size_t last);

}  // namespace hinge::dep
