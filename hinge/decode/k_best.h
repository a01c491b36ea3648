// The exact k best label sequences of a first-order chain: every label of every
// token keeps its k best prefixes, merged from those of the previous token.
#pragma once

#include <vector>

#include "hinge/decode/viterbi.h"

namespace hinge {

struct ScoredPath {
  float score;
  std::vector<LabelId> labels;
};

// At most k sequences, best first, all distinct; fewer if fewer are allowed.
std::vector<ScoredPath> k_best_paths(const ChainScores& scores, std::size_t k);

}  // namespace hinge
