// Where two trees of a forest differ. Below a node that both have, either tree can go on
// as the other does: so they differ in pieces, each from one shared node down to the next
// ones, and replacing any piece of one tree by that of the other gives a tree.
#pragma once

#include <span>
#include <vector>

#include "hinge/decode/forest.h"

namespace hinge {

// Keeps its memory between calls.
class TreePieces {
 public:
  // `one` and `other` are the edges of two trees, parents first; head(edge) is the node it
  // builds. Calls use(edges of one, edges of other) for every piece.
  template <typename Head, typename Use>
  void run(const Forest& forest, std::span<const std::uint32_t> one, std::span<const std::uint32_t> other,
           const Head& head, const Use& use) {
    edge_in_one_.resize(forest.nodes(), kNoNode);
    edge_in_other_.resize(forest.nodes(), kNoNode);
    for (const std::uint32_t e : one) edge_in_one_[head(e)] = e;
    for (const std::uint32_t e : other) edge_in_other_[head(e)] = e;
    for (const std::uint32_t e : one) {
      const std::uint32_t node = head(e);
      const std::uint32_t instead = edge_in_other_[node];
      if (instead == kNoNode || instead == e) continue;
      collect(forest, node, edge_in_one_, edge_in_other_, piece_of_one_);
      collect(forest, node, edge_in_other_, edge_in_one_, piece_of_other_);
      use(std::span<const std::uint32_t>(piece_of_one_), std::span<const std::uint32_t>(piece_of_other_));
    }
    for (const std::uint32_t e : one) edge_in_one_[head(e)] = kNoNode;
    for (const std::uint32_t e : other) edge_in_other_[head(e)] = kNoNode;
  }

 private:
  // The edges of a tree from `node` down to nodes that the other tree has, too.
  void collect(const Forest& forest, std::uint32_t node, const std::vector<std::uint32_t>& tree,
               const std::vector<std::uint32_t>& other, std::vector<std::uint32_t>& piece);

  std::vector<std::uint32_t> edge_in_one_, edge_in_other_;  // [nodes], kNoNode between calls
  std::vector<std::uint32_t> piece_of_one_, piece_of_other_;
  std::vector<std::uint32_t> open_;
};

}  // namespace hinge
