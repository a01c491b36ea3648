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

// The first edge is the root's. The others are in preorder.
void TreeDecoder::read_tree(std::span<const std::uint32_t> edges, Derivation& tree) {
  numbers_.clear();
  for (const std::uint32_t edge : edges.subspan(1))
    numbers_.push_back(
        plan_.grammars.fine.number_of(forest_.nodes[heads_[edge]].symbol, forest_.rules[edge]));
  plan_.grammars.fine.read_tree(numbers_, tree);
}

}  // namespace hinge::constituents
