// Trees under scores of arcs, by the algorithm asked for.
#pragma once

#include <memory>
#include <span>

#include "hinge/tasks/dep/grammar.h"

namespace hinge::dep {

// One a thread.
class TreeSearch {
 public:
  explicit TreeSearch(TreeDecoder decoder);
  ~TreeSearch();
  double best(const ArcScores& scores, std::span<HeadId> heads);
  // The log of the sum over all trees of exp(score), and P(arc), [words + 1][stride].
  double sum(const ArcScores& scores);
  std::span<const float> marginals() const;

 private:
  struct Rooms;
  TreeDecoder decoder_;
  std::unique_ptr<Rooms> rooms_;
};

}  // namespace hinge::dep
