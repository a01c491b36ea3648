#include "hinge/tasks/rerank/envelope.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace hinge::rerank {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double point_in(double begin, double end, std::span<const Change> changes) {
  if (changes.empty()) return 0.0;
  const double stretch = changes.back().t - changes.front().t;
  const double beyond = stretch > 0.0 ? 0.1 * stretch : 1.0;
  if (begin == -kInfinity) return end - beyond;
  if (end == kInfinity) return begin + beyond;
  return begin + 0.5 * (end - begin);
}

}  // namespace

void upper_envelope(std::span<const Line> lines, std::vector<Winner>& winners) {
  winners.clear();
  for (const Line& line : lines) {
    if (!winners.empty() && winners.back().line.slope == line.slope) {
      const Line& top = winners.back().line;
      if (top.height > line.height || (top.height == line.height && top.hypothesis < line.hypothesis))
        continue;
      winners.pop_back();
    }
    double begin = -kInfinity;
    while (!winners.empty()) {
      const Line& top = winners.back().line;
      begin = (top.height - line.height) / (line.slope - top.slope);
      if (begin > winners.back().begin) break;
      winners.pop_back();
      begin = -kInfinity;
    }
    winners.push_back({begin, line});
  }
}

void add_changes(std::span<const Winner> winners, const ChoiceCost& cost, std::vector<Change>& changes,
                 std::span<double> sum) {
  std::uint32_t chosen = winners[0].line.hypothesis;
  add_stats(1.0, cost.of(chosen), sum);
  for (const Winner& winner : winners.subspan(1)) {
    const std::uint32_t next = winner.line.hypothesis;
    if (std::ranges::equal(cost.of(chosen), cost.of(next))) continue;
    changes.push_back({winner.begin, chosen, next});
    chosen = next;
  }
}

LinePoint best_point(std::vector<Change>& changes, std::span<double> sum, const ChoiceCost& cost,
                     double here) {
  std::ranges::sort(changes, [](const Change& a, const Change& b) {
    return std::tie(a.t, a.from, a.to) < std::tie(b.t, b.from, b.to);
  });
  LinePoint best{.step = 0.0, .cost = here};
  double width = kInfinity;  // nothing is wider than where we are
  double begin = -kInfinity;
  for (std::size_t k = 0;;) {
    const double end = k < changes.size() ? changes[k].t : kInfinity;
    const double now = cost(sum);
    if (now < best.cost || (now == best.cost && end - begin > width)) {
      best = {.step = point_in(begin, end, changes), .cost = now};
      width = end - begin;
    }
    if (k == changes.size()) return best;
    for (; k < changes.size() && changes[k].t == end; ++k) {
      const std::span<const float> from = cost.of(changes[k].from), to = cost.of(changes[k].to);
      for (std::size_t s = 0; s < sum.size(); ++s)
        sum[s] += static_cast<double>(to[s]) - static_cast<double>(from[s]);
    }
    begin = end;
  }
}

}  // namespace hinge::rerank
