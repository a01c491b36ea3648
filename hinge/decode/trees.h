// Input and output of the decoders of first-order dependency trees. Words are
// numbered from 1; 0 is the artificial root, which has no head.
//
//   eisner           best projective tree
//   k_best_trees     k best projective trees
//   inside_outside   sums over projective trees
//   chu_liu_edmonds  best tree, projective or not
//   matrix_tree      sums over all trees
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hinge/decode/forbidden.h"

namespace hinge {

using HeadId = std::uint32_t;

// The score of a tree is the sum of its arcs. Scores are finite; forbidden arcs
// have kForbidden, possibly plus a cost.
struct ArcScores {
  const float* score;  // [words + 1][stride], by head; arcs into the root and to itself are ignored
  std::size_t words;
  std::size_t stride;        // at least words + 1
  bool single_root = false;  // exactly one word has head 0; else at least one

  float operator()(std::size_t head, std::size_t modifier) const { return score[head * stride + modifier]; }
};

struct ScoredTree {
  double score;
  std::vector<HeadId> heads;  // [words + 1]; heads[0] = 0
};

}  // namespace hinge
