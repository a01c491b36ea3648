#include "hinge/tasks/rerank/envelope.h"

#include <algorithm>
#include <limits>

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

// Below t = 0 a line can win only if no line of lower slope is at least as high;
// above, only if no line of greater slope is higher. This leaves few lines and
// needs no division.
std::span<const Line> drop_dominated(std::span<Line> lines) {
  std::size_t kept = 0, peak = 0;
  double highest = -kInfinity;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    if (lines[k].height <= highest) continue;
    highest = lines[k].height;
    peak = k;
    lines[kept++] = lines[k];
  }
  std::size_t right = lines.size();
  highest = -kInfinity;
  for (std::size_t k = lines.size(); k-- > peak + 1;) {
    if (lines[k].height < highest) continue;
    highest = lines[k].height;
    lines[--right] = lines[k];
  }
  std::copy(lines.begin() + static_cast<std::ptrdiff_t>(right), lines.end(),
            lines.begin() + static_cast<std::ptrdiff_t>(kept));
  return lines.first(kept + lines.size() - right);
}

}  // namespace

void upper_envelope(std::span<Line> lines, std::vector<Winner>& winners) {
  winners.clear();
  for (const Line& line : drop_dominated(lines)) {
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
  // `from` is unique per list, so it breaks ties: sums are added in a fixed order.
  std::sort(changes.begin(), changes.end(),
            [](const Change& a, const Change& b) { return a.t < b.t || (a.t == b.t && a.from < b.from); });
  LinePoint best{.step = 0.0, .cost = here};
  double width = kInfinity;  // prefer staying at t = 0
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
