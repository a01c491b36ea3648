// All dependency trees over a few words, and matrices of arc scores for testing
// tree decoders.
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
bool is_projective(const Heads& heads);  // a tree without crossing arcs, with the root first
std::size_t roots(const Heads& heads);   // words with the head 0
bool is_of_kind(const Heads& heads, TreeKind kind);

// (words + 1)^(words - 1) trees, or fewer of some kinds. Lists are cached. Not
// thread-safe.
const std::vector<Heads>& all_trees(std::size_t words, TreeKind kind);
void each_tree(std::size_t words, TreeKind kind, const std::function<void(const Heads&)>& body);

// The stride is larger than necessary if `padding` > 0. Entries that no decoder
// may read hold huge numbers that would dominate.
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
// Multiples of 1/8 with `range` steps to either side: exact in any order of addition, with many ties.
ArcMatrix random_arcs_with_ties(Random& random, std::size_t words, int range);
// Forbids each arc with probability 1 / one_in.
void forbid_some(Random& random, ArcMatrix& arcs, std::uint64_t one_in);

// The score of the best tree, by enumeration.
double best_score(const ArcMatrix& arcs, TreeKind kind);

}  // namespace hinge::test
