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

  // Scores all bigrams and pieces; a loss adds what each bigram would save, negated.
  void weigh(const TopicData& data, const float* w, double loss_weight);
  // The best choice under the last scores. Starts from `warm`, if given.
  const CoverageSolution& solve(const TopicData& data, std::span<const char> warm);

  std::span<const double> bigram_scores() const { return weights_; }
  std::span<const double> piece_scores() const { return own_; }

 private:
  CoverageLimits limits_;
  Layout layout_;
  CoverageSolver solver_;
  std::vector<double> weights_, own_;
};

}  // namespace hinge::summarize
