// What n-best lists choose along a line of weights w + t d, and the t that
// minimizes the cost of all choices together.
//
// The score of a hypothesis is a line in t, and a list's choice is the upper
// envelope of these lines. The summed statistics change only at corners of
// envelopes: one sweep over the corners, sorted by t, computes the cost between
// each two. Och (ACL 2003), section 5.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/line_task.h"
#include "hinge/evaluate/metric.h"

namespace hinge::rerank {

// The score of a hypothesis: height + t * slope, both finite.
struct Line {
  double slope;
  double height;
  std::uint32_t hypothesis;
};

// The highest line from `begin` to the next winner's `begin`.
struct Winner {
  double begin;
  Line line;
};

// The winners among lines sorted by slope, from t = -infinity (the first one's
// begin) to infinity. Among equal lines the lowest hypothesis wins, as
// everywhere; a line that is highest at a single point is left out. Overwrites
// `lines`.
void upper_envelope(std::span<Line> lines, std::vector<Winner>& winners);

// The cost of choosing one hypothesis per list, as a function of their summed
// statistics.
struct ChoiceCost {
  std::span<const float> stats;  // [hypotheses][width]
  std::size_t width = 1;
  const Metric* metric = nullptr;  // null: the sum is the cost, width is 1
  double scale = 1.0;

  std::span<const float> of(std::size_t hypothesis) const { return stats.subspan(hypothesis * width, width); }
  double operator()(std::span<const double> sum) const {
    return metric == nullptr ? sum[0] : scale * metric->cost(metric->score(sum));
  }
};

// Above t, a list chooses `to` instead of `from`.
struct Change {
  double t;
  std::uint32_t from;
  std::uint32_t to;
};

// Adds the changes of one list that affect the statistics, and its choice at
// -infinity to `sum`.
void add_changes(std::span<const Winner> winners, const ChoiceCost& cost, std::vector<Change>& changes,
                 std::span<double> sum);

// The point of least cost. `here` is the cost at t = 0, which is the answer unless
// an interval between changes costs less; ties go to the widest interval, then the
// first. The point is the middle of the interval; in an unbounded one it is beyond
// the outermost change by a tenth of the range of changes. Sorts `changes`; `sum`
// belongs to the choices at -infinity and becomes that at infinity.
LinePoint best_point(std::vector<Change>& changes, std::span<double> sum, const ChoiceCost& cost,
                     double here);

}  // namespace hinge::rerank
