// The features of hypotheses: those in the lists, and n-grams of the texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/corpus/nbest/lists.h"

namespace hinge::rerank {

// Identifies a feature in weights.
struct FeatureName {
  std::string name;
  std::uint32_t value_index;  // k if it is the k-th value of a name, else 0
};

// The lists with `known` features numbered first, then their own, then the n-grams
// of their texts, of 2 to `ngrams` words. `space` is where they go; null: into memory.
NBestLists with_more(const NBestLists& lists, const std::vector<FeatureName>& known, std::size_t ngrams,
                     SpillSpace* space = nullptr);

// The lists with features and n-grams numbered as in `names`; others are dropped.
NBestLists with_names(const NBestLists& lists, const std::vector<std::string>& names, std::size_t ngrams);

inline constexpr std::int64_t kMostNGrams = 9;

}  // namespace hinge::rerank
