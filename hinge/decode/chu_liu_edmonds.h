// The best dependency tree, projective or not: the maximum spanning
// arborescence of Chu and Liu (1965) and Edmonds (1967), in O(words^2) by
// contraction in a dense matrix (Tarjan, Networks 1977). SIMD, chosen at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hinge/decode/aligned_rows.h"
#include "hinge/decode/trees.h"

namespace hinge {

// Keeps its memory between calls; use one per thread.
class ChuLiuEdmonds {
 public:
  // Fills `heads` [words + 1] with the best tree, heads[0] = 0, and returns its
  // score. If every tree has forbidden arcs, the result has the fewest.
  double best(const ArcScores& scores, std::span<HeadId> heads);

 private:
  using NodeId = std::uint32_t;  // 0 .. words: the root and words; above: contracted cycles

  struct Node {
    NodeId head;          // word or root where the best arc into the node begins
    double score;         // of that arc
    HeadId first, last;   // the node's words, a list in next_word_
    std::uint32_t begin;  // for a cycle: its members in members_
    std::uint32_t end;
  };
  enum class State : std::uint8_t { kNew, kOnPath, kDone };

  void solve(const ArcScores& scores, double root_penalty);
  void start(const ArcScores& scores, double root_penalty);
  void grow_path(const ArcScores& scores, double root_penalty, NodeId from);
  NodeId contract(const ArcScores& scores, double root_penalty, NodeId entry);
  void load_column(const ArcScores& scores, double root_penalty, NodeId word);
  void expand();
  double* column(NodeId node) { return columns_.data() + node * stride_; }

  std::size_t words_ = 0;
  std::size_t stride_ = 0;  // of columns_
  std::vector<Node> nodes_;
  std::vector<State> state_;       // by node
  std::vector<HeadId> next_word_;  // [words + 1]
  std::vector<NodeId> outermost_;  // [words + 1]: the outermost node that contains the word
  std::vector<NodeId> path_;
  std::vector<NodeId> members_;  // of all cycles, concatenated
  std::vector<const double*> cycle_columns_;
  std::vector<double> cycle_scores_;
  std::vector<float> best_score_;  // [words + 1], of the best arc into each word
  std::vector<std::uint32_t> best_head_;
  // [2 * words][stride_], by node and word h: the score of the best arc from h into
  // the node, minus those of the arcs it replaces; lowest for words of the node.
  AlignedRows<double> columns_;
};

}  // namespace hinge
