// An extension: a task whose outputs can be listed, so that the total cost of all
// examples, even by a metric that is not a sum over examples, is known along a line
// of weights (MERT).
#pragma once

#include <span>

#include "hinge/core/task.h"

namespace hinge {

// A point on a line of weights, w + step * direction.
struct LinePoint {
  double step = 0.0;
  double cost = 0.0;  // LineSearch::cost() at that point
};

// Searches the lines through a point w, which starts at zero and can be moved. All
// members but move_to() are thread-safe.
class LineSearch {
 public:
  virtual ~LineSearch() = default;

  virtual void move_to(const Weights& w) = 0;

  // The cost of the whole training set with each example's best output under w, in
  // the units of Cut::loss summed over the examples.
  virtual double cost() const = 0;

  // The minimum of the cost along w + t * direction, exact up to rounding: the cost
  // changes only where an example's best output does. Step 0 and cost() if no other
  // point costs less; otherwise the middle of the widest best interval. The
  // direction must be merged; a single entry may be faster.
  virtual LinePoint best_on_line(const SparseVector& direction, Scratch& scratch) const = 0;

  // [dimension] How much each feature varies among the outputs of one example, on
  // average; 0 means its weight has no effect.
  virtual std::span<const double> spreads() const = 0;
};

class LineTask : public Extension {
 public:
  static constexpr std::string_view kName = "lists of outputs";

  // The task must outlive it.
  virtual std::unique_ptr<LineSearch> make_line_search() const = 0;
};

}  // namespace hinge
