// What the decoders of first-order dependency trees read and give. Words are
// numbered from 1; 0 is the artificial root, which has no head.
//
//   eisner           best projective tree
//   k_best_trees     k best projective trees
//   inside_outside   sums over projective trees
//   chu_liu_edmonds  best tree of all
//   matrix_tree      sums over all trees
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hinge/decode/forbidden.h"

namespace hinge {

using HeadId = std::uint32_t;

// A tree scores the sum of its arcs. Scores are finite; kForbidden, to which
// costs may have been added, is that of an arc no tree should have.
struct ArcScores {
  const float*
      score;  // [words + 1][stride], by head; arcs into the root or from a word to itself mean nothing
  std::size_t words;
  std::size_t stride;        // at least words + 1
  bool single_root = false;  // exactly one word has the head 0; else any number but none

  float operator()(std::size_t head, std::size_t modifier) const { return score[head * stride + modifier]; }
};

struct ScoredTree {
  double score;
  std::vector<HeadId> heads;  // [words + 1]; heads[0] = 0
};

}  // namespace hinge
