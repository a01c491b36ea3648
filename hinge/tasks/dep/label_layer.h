// What labels and costs add to arc scores in training.
//
// Labels are learned on the gold tree, whatever heads are predicted, so each
// word's best label is known before its head: with the right head a wrong label
// costs; with a wrong head the cost is already paid. Both maxima (sums, for
// likelihoods) are added to the arc's score, which makes the tree search a search
// over labelled trees.
#pragma once

#include <vector>

#include "hinge/core/marginal_task.h"
#include "hinge/tasks/dep/data.h"
#include "hinge/tasks/dep/features.h"

namespace hinge::dep {

// For the words of one sentence.
struct LabelChoices {
  std::vector<float> with_right, with_wrong;  // [words + 1], to add to the right arc and to others
  std::vector<LabelId> right, wrong;          // [words + 1], the best labels
  std::vector<float> p_right, p_wrong;        // [words][stride], label distributions
};

// Reports that weights are not finite: learners stop at a NaN margin.
inline void refuse_weights(Cut& cut) {
  cut.psi.clear();
  cut.loss = 0.0;
  cut.margin = std::numeric_limits<double>::quiet_NaN();
}

class LabelLayer {
 public:
  // Both must outlive this.
  LabelLayer(const TreeData& data, const ParserPlan& plan) : data_(data), plan_(plan) {}

  // Maxima and the labels that attain them.
  void choose(std::size_t i, const Weights& w, double loss_weight, LabelChoices& choices) const;
  // Adds labels and losses to a cut that has the arcs of `rival`.
  void add_to_cut(std::size_t i, std::span<const HeadId> rival, const LabelChoices& choices, Cut& cut) const;

  // Log-sums and distributions. Returns the score of the gold labels.
  double sum(std::size_t i, const Weights& w, double loss_weight, LabelChoices& choices) const;
  // Adds labels and losses; p_gold[word] is P(gold arc).
  void add_to_expectation(std::size_t i, std::span<const double> p_gold, const LabelChoices& choices,
                          Expectation& expectation) const;

  // Adds to a [words + 1][stride] matrix of arcs.
  void add_to_arcs(std::size_t i, const LabelChoices& choices, float* scores, std::size_t stride) const;

  void support(std::size_t i, std::vector<Block>& blocks) const;
  void gold_support(std::size_t i, std::vector<Block>& blocks) const;

 private:
  bool labelled() const { return plan_.layout.labels() > 0; }
  std::span<const std::uint32_t> rows(std::size_t i, std::size_t word) const;
  void score(std::size_t i, std::size_t word, const Weights& w, float* sums) const;

  const TreeData& data_;
  const ParserPlan& plan_;
};

}  // namespace hinge::dep
