#include "hinge/learn/dual/sharded_sets.h"

#include <algorithm>

namespace hinge {

void begin_round(WorkingSet& set) {
  for (Member& member : set.members()) member.before = member.alpha;
}

void end_round(WorkingSet& set, double step) {
  for (Member& member : set.members()) {
    if (step != 1.0) member.alpha = std::max(0.0, member.before + step * (member.alpha - member.before));
    member.before = 0.0;
  }
}

Ascent ascent_of(std::span<const WorkingSet> sets, std::span<const std::uint32_t> examples, Loss loss,
                 double C) {
  Ascent sum;
  for (const std::uint32_t i : examples) {
    const WorkingSet& set = sets[i];
    double mass = 0.0;
    double change = 0.0;
    for (const Member& member : set.members()) {
      const double delta = member.alpha - member.before;
      sum.linear += delta * member.loss;
      if (delta < 0.0) sum.limit = std::min(sum.limit, member.before / -delta);
      mass += member.before;
      change += delta;
    }
    if (loss == Loss::kL2) {
      sum.linear -= mass * change / (2.0 * C);
      sum.curvature += change * change / (2.0 * C);
    } else if (change > 0.0) {
      sum.limit = std::min(sum.limit, (C - mass) / change);
    }
  }
  sum.limit = std::max(sum.limit, 1.0);  // up to rounding it is
  return sum;
}

}  // namespace hinge
