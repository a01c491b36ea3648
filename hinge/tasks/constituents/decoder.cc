#include "hinge/tasks/constituents/decoder.h"

namespace hinge::constituents {

TreeDecoder::TreeDecoder(const Plan& plan, bool exhaustive)
    : plan_(plan), exhaustive_(exhaustive), builder_(plan.grammars), scorer_(plan) {
  if (plan.network.hidden > 0) network_.emplace(plan.network, plan.embeddings, plan.grammars);
}

void TreeDecoder::load(const PrunedSentence& sentence, std::span<const GivenBracket> given) {
  builder_.build(sentence.words.size(), sentence.items, exhaustive_, plan_.fine_rules.roots, given, forest_);
  fill_tag_scores(sentence, plan_.grammars.fine.tags(), tag_scores_);
  scorer_.start({sentence.words, sentence.tags, tag_scores_, sentence.aux});
  if (network_) network_->start(sentence.words, forest_);
  heads_.resize(forest_.forest.edges.size());
  for (std::uint32_t v = 0; v < forest_.forest.nodes(); ++v) {
    for (std::uint32_t e = forest_.forest.begin[v]; e < forest_.forest.begin[v + 1]; ++e) heads_[e] = v;
  }
}

// The first edge is the root's. Preorder is the order of the edges, so the left
// child of a node follows it, and the right one follows the left one's subtree.
void TreeDecoder::read_tree(std::span<const std::uint32_t> edges, Derivation& tree) const {
  tree.clear();
  std::vector<std::uint32_t> open;  // nodes of `tree` that still need a right child
  for (const std::uint32_t edge : edges.subspan(1)) {
    const Item& item = forest_.nodes[heads_[edge]];
    const auto here = static_cast<std::uint32_t>(tree.size());
    if (here > 0) {
      BinaryNode& last = tree.back();
      if (last.rule != kNone && last.left == kNone) {
        last.left = here;
      } else {
        tree[open.back()].right = here;
        open.pop_back();
      }
    }
    tree.push_back({item.symbol, item.begin, item.end, forest_.rules[edge], kNone, kNone});
    if (forest_.forest.edges[edge].right != kNoNode) open.push_back(here);
  }
}

}  // namespace hinge::constituents
