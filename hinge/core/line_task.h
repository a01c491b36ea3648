// An extension: a task whose outputs can be listed, so that the cost of all
// examples together, even by a metric that is not a sum over examples, is known
// along a line of weights (MERT).
#pragma once

#include <span>

#include "hinge/core/task.h"

namespace hinge {

// A point of a line of weights, w + step * direction.
struct LinePoint {
  double step = 0.0;
  double cost = 0.0;  // as LineSearch::cost() there
};

// All lines of weights through one point w, which starts at zero and can be
// moved. All but moving it is for any number of threads at once.
class LineSearch {
 public:
  virtual ~LineSearch() = default;

  virtual void move_to(const Weights& w) = 0;

  // The cost of the whole training set if every example has its best output
  // under w, in the units of Cut::loss, as a sum over the examples.
  virtual double cost() const = 0;

  // Where the cost along w + t * direction is least, exactly but for rounding: it
  // changes only where an example gets another best output. Step 0 and cost()
  // if no other point costs less; otherwise the middle of the widest of the
  // best intervals. The direction is merged; one of a single entry may be quicker.
  virtual LinePoint best_on_line(const SparseVector& direction, Scratch& scratch) const = 0;

  // [dimension] By how much each feature differs among the outputs of one example,
  // on average; 0 if it never does, so that its weight changes nothing.
  virtual std::span<const double> spreads() const = 0;
};

class LineTask : public Extension {
 public:
  static constexpr std::string_view kName = "lists of outputs";

  // The task must outlive it.
  virtual std::unique_ptr<LineSearch> make_line_search() const = 0;
};

}  // namespace hinge
