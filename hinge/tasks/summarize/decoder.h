// From weights to a summary.
#pragma once

#include <span>
#include <vector>

#include "hinge/tasks/summarize/data.h"

namespace hinge::summarize {

// One per thread.
class Decoder {
 public:
  explicit Decoder(const CoverageLimits& limits) : limits_(limits), layout_(layout()) {}

  // Scores all bigrams and pieces; a loss adds what each bigram would save, negated, and what
  // the words of each piece cost.
  void weigh(const TopicView& data, const float* w, double loss_weight);
  // The best choice under the last scores. Starts from `warm`, if given.
  const CoverageSolution& solve(const TopicView& data, std::span<const char> warm);
  // The summary to show under the last scores: the best choice or, if that is none at all, the
  // best single sentence that fits, whole or with all its parts cut; the first of equal ones.
  // Training never asks for it: there, nothing is a rival like any other.
  const CoverageSolution& summarize(const TopicView& data);

  std::span<const double> bigram_scores() const { return weights_; }
  std::span<const double> piece_scores() const { return own_; }

 private:
  void take_best_sentence(const TopicView& data);
  // All pieces from `begin` to `end` of one sentence, whose occurrences are given.
  double value_of(std::size_t begin, std::size_t end, std::span<const Occurrence> occurrences);

  CoverageLimits limits_;
  Layout layout_;
  CoverageSolver solver_;
  CoverageSolution summary_;
  std::vector<double> weights_, own_;
  std::vector<std::uint32_t> ids_;  // of concepts
};

}  // namespace hinge::summarize
