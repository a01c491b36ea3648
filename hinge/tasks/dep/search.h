// Tree search by arc scores, with the chosen algorithm.
#pragma once

#include <memory>
#include <span>

#include "hinge/tasks/dep/features.h"

namespace hinge::dep {

// One per thread.
class TreeSearch {
 public:
  explicit TreeSearch(TreeAlgorithm algorithm);
  ~TreeSearch();
  double best(const ArcScores& scores, std::span<HeadId> heads);
  // The log of the sum of exp(score) over all trees; then P(arc), [words + 1][stride].
  double sum(const ArcScores& scores);
  std::span<const float> marginals() const;

 private:
  struct Algorithms;
  TreeAlgorithm algorithm_;
  std::unique_ptr<Algorithms> algorithms_;
};

}  // namespace hinge::dep
