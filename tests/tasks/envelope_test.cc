// Line search against direct choice: envelopes at points between all crossings of
// two lines, and the best point against all of them.
#include "hinge/tasks/rerank/envelope.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hinge/core/random.h"
#include "tests/support/random_lists.h"

namespace hinge::rerank {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::uint32_t highest(std::span<const Line> lines, double t) {
  const Line* best = &lines[0];
  for (const Line& line : lines) {
    const double score = line.height + t * line.slope, most = best->height + t * best->slope;
    if (score > most || (score == most && line.hypothesis < best->hypothesis)) best = &line;
  }
  return best->hypothesis;
}

// Points between and beyond the crossings of two lines.
std::vector<double> points_between(std::span<const std::vector<Line>> lists) {
  std::vector<double> crossings;
  for (const std::vector<Line>& lines : lists) {
    for (const Line& a : lines) {
      for (const Line& b : lines) {
        if (a.slope < b.slope) crossings.push_back((a.height - b.height) / (b.slope - a.slope));
      }
    }
  }
  std::ranges::sort(crossings);
  std::vector<double> points{0.0};
  if (crossings.empty()) return points;
  points.push_back(crossings.front() - 1.0);
  points.push_back(crossings.back() + 1.0);
  for (std::size_t k = 1; k < crossings.size(); ++k) {
    if (crossings[k] - crossings[k - 1] > 1e-9) points.push_back(0.5 * (crossings[k - 1] + crossings[k]));
  }
  return points;
}

// Small integers, so that slopes and whole lines often coincide.
std::vector<Line> random_lines(Random& random, std::uint32_t first) {
  std::vector<Line> lines;
  const std::size_t n = 1 + random.below(7);
  for (std::uint32_t k = 0; k < n; ++k) {
    lines.push_back(
        {static_cast<double>(random.below(7)) - 3.0, static_cast<double>(random.below(7)) - 3.0, first + k});
  }
  std::ranges::stable_sort(lines, {}, &Line::slope);
  return lines;
}

std::uint32_t winner_at(std::span<const Winner> winners, double t) {
  std::uint32_t last = winners[0].line.hypothesis;
  for (const Winner& winner : winners) {
    if (winner.begin < t) last = winner.line.hypothesis;
  }
  return last;
}

TEST(UpperEnvelope, HasTheHighestLineBetweenAllCrossings) {
  Random random(1);
  std::vector<Winner> winners;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Line> lines[] = {random_lines(random, 0)};
    std::vector<Line> copy = lines[0];
    upper_envelope(copy, winners);
    ASSERT_EQ(winners[0].begin, -kInfinity);
    for (std::size_t k = 1; k < winners.size(); ++k) {
      ASSERT_LT(winners[k - 1].begin, winners[k].begin);
      ASSERT_LT(winners[k - 1].line.slope, winners[k].line.slope);
    }
    for (const double t : points_between(lines)) {
      if (t == 0.0) continue;  // may be a crossing
      ASSERT_EQ(winner_at(winners, t), highest(lines[0], t)) << "round " << round << ", t " << t;
    }
  }
}

TEST(UpperEnvelope, LeavesOutALineThatIsHighestAtOnePointOnly) {
  Line lines[] = {{-1.0, 0.0, 0}, {0.0, 0.0, 1}, {1.0, 0.0, 2}};
  std::vector<Winner> winners;
  upper_envelope(lines, winners);
  ASSERT_EQ(winners.size(), 2u);
  EXPECT_EQ(winners[1].begin, 0.0);
  EXPECT_EQ(winners[1].line.hypothesis, 2u);
}

TEST(BestPoint, StaysWhereNothingIsBetterAndTakesTheWidestOfEqualIntervals) {
  const std::vector<float> stats{3.0f, 1.0f, 2.0f, 1.0f, 3.0f};
  const ChoiceCost cost{.stats = stats};
  const std::vector<Change> all{{5.0, 3, 4}, {-1.0, 0, 1}, {2.0, 2, 3}, {1.0, 1, 2}};  // costs 3 1 2 1 3
  const auto best_from = [&](double here) {
    std::vector<Change> changes = all;
    std::vector<double> sum{3.0};
    const LinePoint best = best_point(changes, sum, cost, here);
    EXPECT_EQ(sum[0], 3.0);
    return best;
  };
  EXPECT_EQ(best_from(1.0).step, 0.0);
  EXPECT_EQ(best_from(2.0).step, 3.5);
  EXPECT_EQ(best_from(2.0).cost, 1.0);
}

TEST(BestPoint, IsBeyondTheLastChangeWhereThatIsBest) {
  const std::vector<float> stats{2.0f, 1.0f, 0.0f};
  const ChoiceCost cost{.stats = stats};
  std::vector<Change> changes{{-4.0, 0, 1}, {6.0, 1, 2}};
  std::vector<double> sum{2.0};
  EXPECT_EQ(best_point(changes, sum, cost, 2.0).step, 7.0);
  changes = {{6.0, 0, 1}};
  sum = {2.0};
  EXPECT_EQ(best_point(changes, sum, cost, 2.0).step, 7.0);
  changes = {{-4.0, 2, 1}, {6.0, 1, 0}};
  sum = {0.0};
  EXPECT_EQ(best_point(changes, sum, cost, 2.0).step, -5.0);
}

// The cost of the whole task, by direct choice at w + t d.
double cost_at(const RandomLists& world, const Metric& metric, bool given, double t,
               const SparseVector& direction) {
  std::vector<double> sum(std::max<std::size_t>(1, given ? 0 : world.costs.width), 0.0);
  for (std::size_t i = 0; i < world.lists.lists(); ++i) {
    std::vector<Line> lines;
    for (std::size_t h = world.lists.begin(i); h < world.lists.end(i); ++h) {
      Weights d(world.w.size());
      axpy(1.0, direction, d);
      lines.push_back({score_hypothesis(world.lists, h, d), score_hypothesis(world.lists, h, world.w),
                       static_cast<std::uint32_t>(h)});
    }
    const std::size_t h = highest(lines, t);
    if (given)
      sum[0] += static_cast<double>(world.costs.costs[h]);
    else
      add_stats(1.0, std::span(world.costs.stats).subspan(h * world.costs.width, world.costs.width), sum);
  }
  return given ? sum[0] : metric.cost(metric.score(sum)) * static_cast<double>(world.lists.lists()) / 100.0;
}

class LineSearchOf : public testing::TestWithParam<std::string> {};

TEST_P(LineSearchOf, AgreesWithPlainChoiceAtAllPoints) {
  const bool given = GetParam() == "given";
  const test::TemporaryFolder folder;
  const auto metric = make_metric(given ? "bleu" : GetParam());
  int gains = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    RandomLists world = random_lists(seed, folder, *metric);
    Costs costs = world.costs;
    if (given) costs.width = 0;
    const RerankTask task(world.lists, costs, *metric, 3, {});
    const auto search = find_extension<LineTask>(task)->make_line_search();
    const auto scratch = task.make_scratch();
    search->move_to(world.w);
    Random random(seed);
    for (int k = 0; k < 6; ++k) {
      SparseVector direction;
      for (FeatureId f = 0; f < 3; ++f) {
        if (k >= 3 || static_cast<int>(f) == k)
          direction.add(f, static_cast<float>(2.0 * random.uniform() - 1.0));
      }
      const auto at = [&](double t) { return cost_at(world, *metric, given, t, direction); };
      ASSERT_NEAR(search->cost(), at(0.0), 1e-9);
      const LinePoint best = search->best_on_line(direction, *scratch);
      EXPECT_NEAR(best.cost, at(best.step), 1e-9);
      EXPECT_LE(best.cost, search->cost());
      if (best.cost == search->cost()) {
        EXPECT_EQ(best.step, 0.0);
      }
      gains += best.cost < search->cost();
      std::vector<std::vector<Line>> lists;
      Weights d(3);
      axpy(1.0, direction, d);
      for (std::size_t i = 0; i < world.lists.lists(); ++i) {
        lists.emplace_back();
        for (std::size_t h = world.lists.begin(i); h < world.lists.end(i); ++h)
          lists.back().push_back(
              {score_hypothesis(world.lists, h, d), score_hypothesis(world.lists, h, world.w), 0});
      }
      for (const double t : points_between(lists)) ASSERT_LE(best.cost, at(t) + 1e-9) << t;
      for (int g = -200; g <= 200; ++g) ASSERT_LE(best.cost, at(0.05 * g + 1e-5) + 1e-9) << g;
    }
  }
  EXPECT_GT(gains, 100);
}

INSTANTIATE_TEST_SUITE_P(Costs, LineSearchOf, testing::Values("bleu", "ter", "chrf", "given"));

TEST(LineSearch, SpreadsAreTheDeviationsWithinLists) {
  const test::TemporaryFolder folder;
  const auto metric = make_metric("bleu");
  RandomLists world = random_lists(5, folder, *metric);
  const RerankTask task(world.lists, world.costs, *metric, 4, {});  // no hypothesis has the last feature
  const auto spreads = find_extension<LineTask>(task)->make_line_search();
  for (std::uint32_t f = 0; f < 4; ++f) {
    Weights one(4);
    one[f] = 1.0f;
    double squares = 0.0;
    for (std::size_t i = 0; i < world.lists.lists(); ++i) {
      double mean = 0.0;
      const auto value = [&](std::size_t h) { return score_hypothesis(world.lists, h, one); };
      const auto n = static_cast<double>(world.lists.end(i) - world.lists.begin(i));
      for (std::size_t h = world.lists.begin(i); h < world.lists.end(i); ++h) mean += value(h) / n;
      for (std::size_t h = world.lists.begin(i); h < world.lists.end(i); ++h)
        squares += (value(h) - mean) * (value(h) - mean);
    }
    EXPECT_NEAR(spreads->spreads()[f], std::sqrt(squares / static_cast<double>(world.lists.hypotheses())),
                1e-9);
  }
  EXPECT_EQ(spreads->spreads()[3], 0.0);
}

}  // namespace
}  // namespace hinge::rerank
