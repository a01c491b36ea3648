// The k best label sequences of a first-order chain, exactly: every label of
// every token keeps its k best prefixes, merged from those of the token before.
#pragma once

#include <vector>

#include "hinge/decode/viterbi.h"

namespace hinge {

struct ScoredPath {
  float score;
  std::vector<LabelId> labels;
};

// At most k sequences, best first, all distinct; fewer where fewer exist that
// nothing forbids.
std::vector<ScoredPath> k_best_paths(const ChainScores& scores, std::size_t k);

}  // namespace hinge
