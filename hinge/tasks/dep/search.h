// Trees under scores of arcs, by the algorithm asked for.
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
  // The log of the sum over all trees of exp(score), and P(arc), [words + 1][stride].
  double sum(const ArcScores& scores);
  std::span<const float> marginals() const;

 private:
  struct Algorithms;
  TreeAlgorithm algorithm_;
  std::unique_ptr<Algorithms> algorithms_;
};

}  // namespace hinge::dep
