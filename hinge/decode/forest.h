// Packed forests: all trees of a sentence, sharing their common parts. A node has
// edges, each a way to build it from up to two other nodes. A tree picks one edge for the
// root and for every node that is reached from there; its score is the sum of its
// edges' scores.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hinge {

inline constexpr std::uint32_t kNoNode = std::numeric_limits<std::uint32_t>::max();

struct Forest {
  struct Tails {
    std::uint32_t left, right;  // kNoNode: none; a single tail is `left`
  };

  // Tails come before heads, so the last node is the root.
  std::vector<std::uint32_t> begin;  // [nodes + 1], into edges
  std::vector<Tails> edges;          // by head

  std::size_t nodes() const { return begin.empty() ? 0 : begin.size() - 1; }
};

// The best tree. Keeps its memory between calls.
class ForestSearch {
 public:
  // The score of the best tree, or minus infinity if there is none; of trees with
  // equal scores, always the same. `edges` are those of the tree, parents first.
  double best(const Forest& forest, std::span<const float> scores, std::vector<std::uint32_t>& edges);

  // [nodes], after best(): the best score below each node.
  std::span<const double> inside() const { return best_; }

 private:
  std::vector<double> best_;
  std::vector<std::uint32_t> choice_;
  std::vector<std::uint32_t> open_;
};

// A hash of a sequence that can be appended to another: h(ab) = h(a) p^|b| + h(b) modulo
// the prime 2^61 - 1. Different sequences collide with a probability of about their length
// in 2^61.
struct SequenceHash {
  std::uint64_t hash = 0;
  std::uint64_t power = 1;  // p^length

  static SequenceHash of(std::uint64_t symbol);
  SequenceHash then(SequenceHash next) const;
  bool operator==(const SequenceHash&) const = default;
};

// The text of an edge: pieces before, between and after the texts of its tails. With `swapped`
// the right tail comes first.
struct EdgeText {
  SequenceHash before, between, after;
  bool swapped = false;
};

// The k best trees: Huang and Chiang (IWPT 2005), Algorithm 3, which expands only
// what it needs. If edges have texts, trees have different texts: of derivations of a node
// with equal texts only the best is kept (Huang, Knight and Joshi, AMTA 2006, section 4).
class ForestKBest {
 public:
  struct Tree {
    double score;
    std::vector<std::uint32_t> edges;  // parents first
  };
  // At most k trees, best first; all differ in an edge.
  void best(const Forest& forest, std::span<const float> scores, std::size_t k, std::vector<Tree>& trees);

  // One after the other, best first. False if there are no more. The forest and the scores
  // must stay until the last.
  void begin(const Forest& forest, std::span<const float> scores, std::span<const EdgeText> texts = {});
  bool next(Tree& tree);

 private:
  struct Derivation {
    double score;
    std::uint32_t edge;
    std::uint32_t left, right;  // ranks of the tails' derivations
  };
  struct Node {
    std::vector<Derivation> found;    // best first
    std::vector<SequenceHash> texts;  // of those found, if edges have texts
    absl::flat_hash_set<std::uint64_t> seen;
    std::vector<Derivation> waiting;  // a heap
    Derivation last;                  // the last taken from the heap; its neighbours are not yet there
    bool started = false;
    bool has_last = false;
  };

  static bool worse(const Derivation& a, const Derivation& b);
  void start(std::uint32_t node);
  bool extend(std::uint32_t node);
  SequenceHash text_of(const Derivation& derivation);
  bool has(std::uint32_t node, std::uint32_t rank);
  void add(std::uint32_t node, std::uint32_t edge, std::uint32_t left, std::uint32_t right);
  void collect(std::uint32_t node, std::uint32_t rank, std::vector<std::uint32_t>& edges);

  const Forest* forest_ = nullptr;
  std::span<const float> scores_;
  std::span<const EdgeText> texts_;
  std::vector<double> best_;
  std::vector<Node> nodes_;
  std::uint32_t rank_ = 0;  // of the next tree
};

// Sums over all trees of exp(score), in logs.
class ForestSums {
 public:
  // Fills posteriors [edges]: the probability that a tree has the edge. Returns the logarithm of the
  // sum, minus infinity if there is no tree.
  double run(const Forest& forest, std::span<const float> scores, std::vector<float>& posteriors);

 private:
  std::vector<double> inside_, outside_;
};

}  // namespace hinge
