#include "hinge/decode/tree_pieces.h"

namespace hinge {

void TreePieces::collect(const Forest& forest, std::uint32_t node, const std::vector<std::uint32_t>& tree,
                         const std::vector<std::uint32_t>& other, std::vector<std::uint32_t>& piece) {
  piece.clear();
  open_.assign(1, node);
  while (!open_.empty()) {
    const std::uint32_t edge = tree[open_.back()];
    open_.pop_back();
    piece.push_back(edge);
    for (const std::uint32_t tail : {forest.edges[edge].left, forest.edges[edge].right}) {
      if (tail != kNoNode && other[tail] == kNoNode) open_.push_back(tail);
    }
  }
}

}  // namespace hinge
