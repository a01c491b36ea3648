// The forest of one sentence, its scores, and the search in it; one per thread.
#pragma once

#include <optional>

#include "hinge/core/weights.h"
#include "hinge/tasks/constituents/data.h"

namespace hinge::constituents {

class TreeDecoder {
 public:
  TreeDecoder(const Plan& plan, bool exhaustive);

  void load(const PrunedSentence& sentence, std::span<const GivenBracket> given = {});
  // Fills scores().
  void score(const float* w) {
    scorer_.score(forest_, w, scores_);
    if (network_) network_->add_scores(forest_, w, scores_);
  }
  NeuralScorer* network() { return network_ ? &*network_ : nullptr; }

  const ParseForest& forest() const { return forest_; }
  EdgeScorer& scorer() { return scorer_; }
  std::vector<float>& scores() { return scores_; }
  ForestSearch& search() { return search_; }
  ForestSums& sums() { return sums_; }
  ForestKBest& k_best() { return k_best_; }

  std::uint32_t head_of(std::uint32_t edge) const { return heads_[edge]; }
  // The tree that these edges make, parents first.
  void read_tree(std::span<const std::uint32_t> edges, Derivation& tree);

 private:
  const Plan& plan_;
  bool exhaustive_;
  ForestBuilder builder_;
  EdgeScorer scorer_;
  std::optional<NeuralScorer> network_;
  ParseForest forest_;
  std::vector<float> scores_;
  std::vector<float> tag_scores_;     // [words][tags]
  std::vector<std::uint32_t> heads_;  // [edges]
  std::vector<std::uint32_t> numbers_;
  ForestSearch search_;
  ForestSums sums_;
  ForestKBest k_best_;
};

}  // namespace hinge::constituents
