// The features of hypotheses: those that lists give, and n-grams of their texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/corpus/nbest/lists.h"

namespace hinge::rerank {

// A feature as weights know it.
struct FeatureName {
  std::string name;
  std::uint32_t value_index;  // k where it is the k-th value of a name, or 0
};

// The lists with these features before their own, and after them the n-grams of
// their texts, of two words up to `ngrams`.
NBestLists with_more(const NBestLists& lists, const std::vector<FeatureName>& known, std::size_t ngrams);

// The lists with features and n-grams numbered as in `names`; others are dropped.
NBestLists with_names(const NBestLists& lists, const std::vector<std::string>& names, std::size_t ngrams);

inline constexpr std::int64_t kMostNGrams = 9;

}  // namespace hinge::rerank
