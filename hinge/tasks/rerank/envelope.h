// What n-best lists choose along a line of weights w + t d, and the t at which
// the choice of all lists together costs least.
//
// The score of a hypothesis is a line in t, what its list chooses is the upper
// envelope of these lines, and the statistics of the whole change only at the
// corners of envelopes: sorted by t they are swept once, and the cost is worked
// out between any two. Och (ACL 2003), section 5.
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

// The highest line from `begin` to where the next winner begins.
struct Winner {
  double begin;
  Line line;
};

// The winners of lines of rising slope, from t = -infinity (the first one's
// begin) to infinity. Among equal lines the lowest hypothesis wins, as
// everywhere; a line that is highest at one point only is left out. `lines` is
// used up.
void upper_envelope(std::span<Line> lines, std::vector<Winner>& winners);

// What a choice of one hypothesis per list costs: a function of the sum of their
// statistics.
struct ChoiceCost {
  std::span<const float> stats;  // [hypotheses][width]
  std::size_t width = 1;
  const Metric* metric = nullptr;  // or null: the sum is the cost, width is 1
  double scale = 1.0;

  std::span<const float> of(std::size_t hypothesis) const { return stats.subspan(hypothesis * width, width); }
  double operator()(std::span<const double> sum) const {
    return metric == nullptr ? sum[0] : scale * metric->cost(metric->score(sum));
  }
};

// A list chooses `to` instead of `from` above t.
struct Change {
  double t;
  std::uint32_t from;
  std::uint32_t to;
};

// Adds the changes of one list, those that make no difference to the
// statistics left out, and its choice at -infinity to `sum`.
void add_changes(std::span<const Winner> winners, const ChoiceCost& cost, std::vector<Change>& changes,
                 std::span<double> sum);

// The point of least cost. `here` is the cost at t = 0, where the answer stays
// unless an interval between changes costs less; of equal ones the widest has it,
// then the first. The point is the middle of the interval, or beyond the last
// change by a tenth of the stretch that has changes. Sorts `changes`; `sum` is
// that of the choices at -infinity and becomes that at infinity.
LinePoint best_point(std::vector<Change>& changes, std::span<double> sum, const ChoiceCost& cost,
                     double here);

}  // namespace hinge::rerank
