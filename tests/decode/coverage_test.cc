// Coverage problems against enumeration of all choices. Scores are multiples of 1/8, so
// that sums are exact in any order and ties are frequent.
#include "hinge/decode/coverage.h"

#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "hinge/core/interrupt.h"
#include "hinge/core/random.h"

namespace hinge::test {
namespace {

struct Instance {
  Coverage problem;
  std::vector<double> weights, own;
  CoverageScores scores() const { return {weights, own}; }
};

struct Shape {
  std::size_t pieces = 10, concepts = 12;
  std::uint32_t limit = 20;
  bool negative = false, trees = false;
  bool twins = false;  // every second piece repeats the one before, more or less
};

double draw(Random& random, bool negative) {
  const auto value = static_cast<double>(random.below(17)) / 8;
  return negative ? value - 1.0 : value;
}

Instance random_instance(Random& random, const Shape& shape) {
  Instance made;
  made.problem.concepts = shape.concepts;
  made.problem.limit = shape.limit;
  for (std::uint32_t i = 0; i < shape.pieces; ++i) {
    const bool hangs = shape.trees && i > 0 && random.uniform() < 0.5;
    made.problem.pieces.push_back({.length = static_cast<std::uint32_t>(random.below(9)),
                                   .parent = hangs ? static_cast<std::uint32_t>(random.below(i)) : kNoPiece});
    made.own.push_back(random.uniform() < 0.5 ? 0.0 : draw(random, shape.negative) - 0.5);
    for (std::size_t k = 0; k < 5; ++k) {
      const auto other = static_cast<std::uint32_t>(random.below(shape.pieces));
      made.problem.occurrences.push_back({static_cast<std::uint32_t>(random.below(shape.concepts)), i,
                                          shape.trees && random.uniform() < 0.3 ? other : i});
    }
  }
  for (std::size_t c = 0; c < shape.concepts; ++c) made.weights.push_back(draw(random, shape.negative));
  return made;
}

// Odd pieces become copies of the ones before them: the same, or without some concepts,
// longer, shorter, or of another score.
void make_twins(Random& random, Instance& made) {
  Coverage& problem = made.problem;
  std::erase_if(problem.occurrences, [](const Occurrence& o) { return o.first % 2 == 1; });
  const std::vector<Occurrence> originals = problem.occurrences;
  std::vector<double> keep;
  for (std::uint32_t i = 1; i < problem.pieces.size(); i += 2) {
    problem.pieces[i] = problem.pieces[i - 1];
    made.own[i] = made.own[i - 1];
    keep.push_back(random.uniform() < 0.5 ? 1.0 : 0.7);
    if (random.uniform() < 0.3) problem.pieces[i].length = static_cast<std::uint32_t>(random.below(9));
    if (random.uniform() < 0.3) made.own[i] += draw(random, true) / 4;
  }
  for (const Occurrence& o : originals) {
    if (o.first + 1 < problem.pieces.size() && random.uniform() < keep[o.first / 2])
      problem.occurrences.push_back({o.id, o.first + 1, o.first + 1});
  }
}

Instance instance_of(Random& random, const Shape& shape) {
  Instance made = random_instance(random, shape);
  if (shape.twins) make_twins(random, made);
  return made;
}

double best_by_enumeration(const Instance& instance) {
  const std::size_t n = instance.problem.pieces.size();
  double best = -std::numeric_limits<double>::infinity();
  std::vector<char> chosen(n);
  for (std::uint32_t bits = 0; bits < 1u << n; ++bits) {
    for (std::size_t i = 0; i < n; ++i) chosen[i] = static_cast<char>(bits >> i & 1u);
    if (is_feasible(instance.problem, chosen))
      best = std::max(best, coverage_value(instance.problem, instance.scores(), chosen));
  }
  return best;
}

void expect_optimal(const Shape& shape, CoverageMethod method, int rounds) {
  Random random(7);
  CoverageSolver solver;
  for (int round = 0; round < rounds; ++round) {
    const Instance instance = instance_of(random, shape);
    const CoverageSolution& found = solver.solve(instance.problem, instance.scores(), {.method = method});
    ASSERT_TRUE(is_feasible(instance.problem, found.chosen)) << "round " << round;
    EXPECT_TRUE(found.exact) << "round " << round;
    EXPECT_NEAR(found.value, best_by_enumeration(instance), 1e-9) << "round " << round;
    EXPECT_EQ(found.bound, found.value);
  }
}

constexpr Shape kShapes[] = {
    {},
    {.negative = true},
    {.trees = true},
    {.negative = true, .trees = true},
    {.pieces = 12, .concepts = 4, .limit = 12, .negative = true},
    {.pieces = 6, .concepts = 30, .limit = 3, .negative = true},
    {.pieces = 8, .limit = 0, .negative = true},
    {.pieces = 12, .twins = true},
    {.pieces = 12, .negative = true, .twins = true},
    {.pieces = 12, .concepts = 6, .limit = 14, .negative = true, .twins = true},
};

TEST(Coverage, TheSearchEqualsEnumeration) {
  for (const Shape& shape : kShapes) expect_optimal(shape, CoverageMethod::kAuto, 200);
}

TEST(Coverage, CbcEqualsEnumeration) {
  for (const Shape& shape : kShapes) expect_optimal(shape, CoverageMethod::kCbc, 30);
}

TEST(Coverage, SearchAndCbcAgreeWhereEnumerationIsTooSlow) {
  Random random(3);
  CoverageSolver solver;
  for (int round = 0; round < 6; ++round) {
    const bool odd = round % 2 == 1;
    const Instance instance = random_instance(
        random, {.pieces = 40, .concepts = 80, .limit = 30, .negative = odd, .trees = round > 3});
    const double search = solver.solve(instance.problem, instance.scores(), {}).value;
    const CoverageSolution& cbc =
        solver.solve(instance.problem, instance.scores(), {.method = CoverageMethod::kCbc});
    EXPECT_TRUE(cbc.exact);
    EXPECT_NEAR(search, cbc.value, 1e-6);
  }
}

TEST(Coverage, GreedyIsFeasibleAndItsBoundHolds) {
  Random random(11);
  CoverageSolver solver;
  int below = 0;
  for (const Shape& shape : kShapes) {
    for (int round = 0; round < 50; ++round) {
      const Instance instance = instance_of(random, shape);
      const double best = best_by_enumeration(instance);
      const CoverageSolution& found =
          solver.solve(instance.problem, instance.scores(), {.method = CoverageMethod::kGreedy});
      ASSERT_TRUE(is_feasible(instance.problem, found.chosen));
      EXPECT_LE(found.value, best + 1e-9);
      EXPECT_GE(found.bound, best - 1e-9);
      EXPECT_EQ(found.exact, found.bound <= found.value);
      below += found.value < best - 1e-9;
    }
  }
  EXPECT_GT(below, 10) << "greedy was always optimal, so its bound was not tested";
}

TEST(Coverage, ANodeLimitGivesAChoiceWithABoundThatHolds) {
  Random random(5);
  CoverageSolver solver;
  int stopped = 0;
  for (int round = 0; round < 60; ++round) {
    const Instance instance =
        random_instance(random, {.pieces = 12, .concepts = 20, .negative = round % 2 == 0});
    const double best = best_by_enumeration(instance);
    const CoverageLimits limits{.search_nodes = 2, .cbc_nodes = 0};
    const CoverageSolution found = solver.solve(instance.problem, instance.scores(), limits);
    ASSERT_TRUE(is_feasible(instance.problem, found.chosen));
    EXPECT_LE(found.value, best + 1e-9);
    EXPECT_GE(found.bound, best - 1e-9);
    stopped += !found.exact;
    CoverageSolver fresh;
    EXPECT_EQ(fresh.solve(instance.problem, instance.scores(), limits).chosen, found.chosen);
  }
  EXPECT_GT(stopped, 5);
}

TEST(Coverage, AWarmStartKeepsTheValueAndWinsTies) {
  Random random(13);
  CoverageSolver solver;
  for (int round = 0; round < 100; ++round) {
    Instance instance = random_instance(random, {.negative = round % 2 == 0});
    const CoverageSolution cold = solver.solve(instance.problem, instance.scores(), {});
    // The best choice for other weights.
    const std::vector<double> weights = instance.weights;
    for (double& weight : instance.weights) weight += draw(random, true);
    const std::vector<char> other = solver.solve(instance.problem, instance.scores(), {}).chosen;
    instance.weights = weights;
    EXPECT_NEAR(solver.solve(instance.problem, instance.scores(), {}, other).value, cold.value, 1e-9);
    EXPECT_EQ(solver.solve(instance.problem, instance.scores(), {}, cold.chosen).chosen, cold.chosen);
  }
}

// The scaling rule of core/task.h, at scales far from 1.
TEST(Coverage, TheChoiceDoesNotDependOnTheScaleOfScores) {
  Random random(17);
  CoverageSolver solver;
  for (int round = 0; round < 50; ++round) {
    Instance instance = random_instance(random, {.negative = true, .trees = round % 2 == 0});
    const std::vector<char> chosen = solver.solve(instance.problem, instance.scores(), {}).chosen;
    for (double& weight : instance.weights) weight *= 0x1p-40;
    for (double& score : instance.own) score *= 0x1p-40;
    EXPECT_EQ(solver.solve(instance.problem, instance.scores(), {}).chosen, chosen);
  }
}

TEST(Coverage, NothingToChooseFromGivesNothing) {
  CoverageSolver solver;
  for (const CoverageMethod method : {CoverageMethod::kAuto, CoverageMethod::kCbc, CoverageMethod::kGreedy}) {
    const CoverageSolution& none = solver.solve(Coverage{}, {}, {.method = method});
    EXPECT_TRUE(none.exact);
    EXPECT_TRUE(none.chosen.empty());
    EXPECT_EQ(none.value, 0.0);
  }
}

// The negative concept is paid once, by neither alone.
TEST(Coverage, TwoPiecesMayShareACost) {
  const Coverage problem{.pieces = {{2}, {2}},
                         .concepts = 3,
                         .occurrences = {{0, 0, 0}, {1, 1, 1}, {2, 0, 0}, {2, 1, 1}},
                         .limit = 4};
  const std::vector<double> weights{3.0, 3.0, -5.0}, own{0.0, 0.0};
  CoverageSolver solver;
  for (const CoverageMethod method : {CoverageMethod::kAuto, CoverageMethod::kCbc}) {
    const CoverageSolution& found = solver.solve(problem, {weights, own}, {.method = method});
    EXPECT_EQ(found.chosen, (std::vector<char>{1, 1}));
    EXPECT_NEAR(found.value, 1.0, 1e-9);
  }
}

// Pairs that differ in one concept, all pairs alike: fractions of pieces promise more than
// fits, and without them nothing is left to search.
TEST(Coverage, NearlyEqualPiecesAreNotPermuted) {
  Instance pairs;
  pairs.problem.limit = 50;
  for (std::uint32_t i = 0; i < 200; ++i) {
    pairs.problem.pieces.push_back({.length = i % 4 < 2 ? 9u : 7u});
    pairs.own.push_back(0.0);
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t shared = i / 2 * 4 + k, alone = i / 2 * 4 + 2 + i % 2;
      pairs.problem.occurrences.push_back({k < 2 ? shared : alone, i, i});
    }
  }
  pairs.problem.concepts = 400;
  for (std::uint32_t c = 0; c < 400; ++c)
    pairs.weights.push_back(c % 4 >= 2 ? 1.0 : c / 4 % 2 == 0 ? 4.0 : 2.9);
  CoverageSolver solver;
  const CoverageSolution& found = solver.solve(pairs.problem, pairs.scores(), {.cbc_nodes = 0});
  EXPECT_TRUE(found.exact);
  EXPECT_LT(found.nodes, 1000);
  EXPECT_NEAR(found.value, 4 * 9.0 + 2 * 6.8, 1e-9) << "four of length 9, two of length 7";
}

Instance hard_instance() {
  Random random(1);
  Instance made;
  made.problem.concepts = 3000;
  made.problem.limit = 400;
  for (std::uint32_t i = 0; i < 600; ++i) {
    made.problem.pieces.push_back({.length = 10 + static_cast<std::uint32_t>(random.below(20))});
    made.own.push_back(0.0);
    for (int k = 0; k < 40; ++k)
      made.problem.occurrences.push_back({static_cast<std::uint32_t>(random.below(3000)), i, i});
  }
  for (int c = 0; c < 3000; ++c) made.weights.push_back(1.0 + random.uniform());
  return made;
}

// Asks to stop when the solver has begun, as Ctrl-C does, and expects an end within seconds.
void expect_quick_end(CoverageMethod method) {
  const Instance instance = hard_instance();
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  CoverageSolver solver;
  const InterruptScope scope([&] {
    if (Clock::now() - begin > std::chrono::milliseconds(300)) throw Interrupted();
  });
  const CoverageLimits limits{.method = method, .search_nodes = 1'000'000'000, .cbc_nodes = 1'000'000'000};
  EXPECT_THROW(solver.solve(instance.problem, instance.scores(), limits), Interrupted);
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
}

TEST(Coverage, AnInterruptEndsTheSearchSoon) { expect_quick_end(CoverageMethod::kAuto); }
TEST(Coverage, AnInterruptEndsCbcSoon) { expect_quick_end(CoverageMethod::kCbc); }

TEST(Coverage, SolversInSeveralThreadsAgree) {
  Random random(23);
  std::vector<Instance> instances;
  for (int k = 0; k < 12; ++k)
    instances.push_back(
        random_instance(random, {.pieces = 30, .concepts = 60, .limit = 30, .negative = k % 2 == 0}));
  const auto solve_all = [&](std::vector<std::vector<char>>& chosen) {
    CoverageSolver solver;
    for (const Instance& instance : instances)
      chosen.push_back(
          solver.solve(instance.problem, instance.scores(), {.method = CoverageMethod::kCbc}).chosen);
  };
  std::vector<std::vector<char>> one, two, three;
  solve_all(one);
  std::thread thread([&] { solve_all(two); });
  solve_all(three);
  thread.join();
  EXPECT_EQ(one, two);
  EXPECT_EQ(one, three);
}

}  // namespace
}  // namespace hinge::test
