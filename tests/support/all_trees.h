// Every dependency tree over a few words, and matrices of arc scores to try
// decoders of trees on.
#pragma once

#include <functional>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/decode/trees.h"

namespace hinge::test {

using Heads = std::vector<HeadId>;  // [words + 1]; heads[0] = 0

struct TreeKind {
  bool projective = false;
  bool single_root = false;
};

bool is_tree(const Heads& heads);        // every word has a head other than itself and leads to 0
bool is_projective(const Heads& heads);  // of a tree: no arc crosses another, the root standing first
std::size_t roots(const Heads& heads);   // words with the head 0
bool is_of_kind(const Heads& heads, TreeKind kind);

// (words + 1)^(words - 1) trees, or fewer of some kind. Lists are kept: the
// second request for one costs nothing. Not for several threads.
const std::vector<Heads>& all_trees(std::size_t words, TreeKind kind);
void each_tree(std::size_t words, TreeKind kind, const std::function<void(const Heads&)>& body);

// The stride is larger than it must be where `padding` > 0. What no decoder
// may read holds numbers that would drown everything.
struct ArcMatrix {
  ArcMatrix(std::size_t words, std::size_t padding);

  std::size_t words;
  std::size_t stride;
  std::vector<float> score;

  float& at(std::size_t head, std::size_t modifier) { return score[head * stride + modifier]; }
  ArcScores scores(bool single_root) const { return {score.data(), words, stride, single_root}; }
  double score_of(const Heads& heads) const;
  bool allows(const Heads& heads) const;  // has no forbidden arc
  void each_arc(const std::function<void(float&)>& body);
};

// Uniform in [-range, range].
ArcMatrix random_arcs(Random& random, std::size_t words, double range);
// Multiples of 1/8 with `range` steps to either side: exact in any order of addition, and many tie.
ArcMatrix random_arcs_with_ties(Random& random, std::size_t words, int range);
// Each arc with the probability 1 / one_in.
void forbid_some(Random& random, ArcMatrix& arcs, std::uint64_t one_in);

// The best of all trees, by enumeration.
double best_score(const ArcMatrix& arcs, TreeKind kind);

}  // namespace hinge::test
