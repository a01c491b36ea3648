#include "hinge/learn/dual/simplex_qp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "hinge/core/random.h"
#include "tests/support/dense_qp.h"

namespace hinge::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr int kPlenty = 100000;

struct RandomQp {
  std::size_t n;
  std::vector<double> gram;    // B B', B [n][rank]
  std::vector<double> linear;  // B u - something positive: bounded even without C
};

RandomQp random_qp(Random& random, std::size_t n, std::size_t rank) {
  const auto value = [&] { return 2.0 * random.uniform() - 1.0; };
  std::vector<double> B(n * rank);
  std::vector<double> u(rank);
  for (double& x : B) x = value();
  for (double& x : u) x = 3.0 * value();
  RandomQp qp{n, std::vector<double>(n * n), std::vector<double>(n)};
  for (std::size_t a = 0; a < n; ++a) {
    for (std::size_t r = 0; r < rank; ++r) qp.linear[a] += B[a * rank + r] * u[r];
    qp.linear[a] -= 0.1 * random.uniform();
    for (std::size_t b = 0; b < n; ++b) {
      for (std::size_t r = 0; r < rank; ++r) qp.gram[a * n + b] += B[a * rank + r] * B[b * rank + r];
    }
  }
  return qp;
}

std::vector<double> solved(const RandomQp& qp, double C, std::vector<double> alpha, double tolerance = 1e-10,
                           int max_steps = kPlenty) {
  solve({.gram = qp.gram, .linear = qp.linear, .C = C}, alpha, tolerance, max_steps);
  return alpha;
}

double sum(const std::vector<double>& alpha) { return std::accumulate(alpha.begin(), alpha.end(), 0.0); }

void expect_feasible(const std::vector<double>& alpha, double C) {
  for (const double a : alpha) EXPECT_GE(a, 0.0);
  EXPECT_LE(sum(alpha), C * (1.0 + 1e-12));
}

// Moving a unit of mass must not gain more than `tolerance`.
void expect_optimal(const RandomQp& qp, double C, const std::vector<double>& alpha, double tolerance) {
  double high = 0.0;
  double low = sum(alpha) < C * (1.0 - 1e-9) ? 0.0 : kInfinity;
  for (std::size_t k = 0; k < qp.n; ++k) {
    double gradient = qp.linear[k];
    for (std::size_t j = 0; j < qp.n; ++j) gradient -= qp.gram[k * qp.n + j] * alpha[j];
    high = std::max(high, gradient);
    if (alpha[k] > 0.0) low = std::min(low, gradient);
  }
  EXPECT_TRUE(low == kInfinity || high - low <= tolerance + 1e-9) << high - low;
}

class SimplexQpAgainstDenseSolver : public testing::TestWithParam<double> {};

TEST_P(SimplexQpAgainstDenseSolver, RandomProgramsOfAnyRankHaveTheSameMaximum) {
  const double C = GetParam();
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const RandomQp qp = random_qp(random, 1 + random.below(8), 1 + random.below(9));
    const std::vector<double> alpha = solved(qp, C, std::vector<double>(qp.n, 0.0));
    expect_feasible(alpha, C);
    expect_optimal(qp, C, alpha, 1e-10);
    const double best = simplex_qp_value(qp.gram, qp.linear, dense_simplex_qp(qp.gram, qp.linear, C));
    EXPECT_NEAR(simplex_qp_value(qp.gram, qp.linear, alpha), best, 1e-6 * std::max(1.0, best));
  }
}

TEST_P(SimplexQpAgainstDenseSolver, WarmStartsEndWhereColdOnesDo) {
  const double C = GetParam();
  for (std::uint64_t seed = 100; seed < 140; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const RandomQp qp = random_qp(random, 2 + random.below(6), 1 + random.below(9));
    std::vector<double> start(qp.n);
    for (double& a : start) a = random.uniform() < 0.3 ? 0.0 : random.uniform();
    if (std::isfinite(C)) {  // on the boundary every other time
      const double scale = (seed % 2 == 0 ? 1.0 : 0.5) * C / std::max(1e-9, sum(start));
      for (double& a : start) a *= scale;
    }
    const std::vector<double> warm = solved(qp, C, start);
    expect_feasible(warm, C);
    const double cold = simplex_qp_value(qp.gram, qp.linear, solved(qp, C, std::vector<double>(qp.n, 0.0)));
    EXPECT_NEAR(simplex_qp_value(qp.gram, qp.linear, warm), cold, 1e-8 * std::max(1.0, cold));
  }
}

TEST_P(SimplexQpAgainstDenseSolver, EveryStepRaisesTheObjective) {
  const double C = GetParam();
  for (std::uint64_t seed = 200; seed < 220; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const RandomQp qp = random_qp(random, 5, 1 + random.below(6));
    double before = 0.0;
    for (int steps = 1; steps <= 30; ++steps) {
      const std::vector<double> alpha = solved(qp, C, std::vector<double>(qp.n, 0.0), 1e-10, steps);
      const double now = simplex_qp_value(qp.gram, qp.linear, alpha);
      EXPECT_GE(now, before - 1e-12);
      before = now;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bounds, SimplexQpAgainstDenseSolver, testing::Values(0.05, 0.7, 5.0, kInfinity));

TEST(SimplexQp, OneVariableIsTheClosedFormStepOfMira) {
  for (const double C : {0.1, 1.0, kInfinity}) {
    for (const double v : {-1.0, 0.0, 0.3, 4.0}) {
      const std::vector<double> alpha = solved({1, {2.5}, {v}}, C, {0.0});
      EXPECT_DOUBLE_EQ(alpha[0], std::min(C, std::max(0.0, v / 2.5)));
    }
  }
}

// With all mass in use, along a - b: gain 2 per unit, curvature 3 + 2 - 2 G_ab.
TEST(SimplexQp, OneStepBetweenTwoVariablesEndsAtTheTopOfItsLine) {
  for (const double shared : {-1.5, 0.0, 1.0, 2.0}) {
    const std::vector<double> linear{10.0 + 4.0 * shared, 8.0 + 8.0};  // gradients 10 and 8 at (0, 4)
    const std::vector<double> alpha =
        solved({2, {3.0, shared, shared, 2.0}, linear}, 4.0, {0.0, 4.0}, 1e-10, /*max_steps=*/1);
    EXPECT_DOUBLE_EQ(alpha[0], 2.0 / (5.0 - 2.0 * shared));
    EXPECT_DOUBLE_EQ(alpha[1], 4.0 - alpha[0]);
  }
}

TEST(SimplexQp, AWarmStartThatIsNotWantedIsGivenBack) {
  EXPECT_DOUBLE_EQ(solved({1, {1.0}, {-0.5}}, 1.0, {0.8})[0], 0.0);
  EXPECT_DOUBLE_EQ(solved({1, {0.0}, {-0.5}}, 1.0, {0.8})[0], 0.0);
}

TEST(SimplexQp, WithoutCurvatureAllMassGoesToTheLargestGain) {
  const std::vector<double> alpha = solved({3, std::vector<double>(9, 0.0), {0.5, 2.0, 1.0}}, 0.7, {0, 0, 0});
  EXPECT_EQ(alpha, (std::vector<double>{0.0, 0.7, 0.0}));
  const std::vector<double> moved =
      solved({3, std::vector<double>(9, 0.0), {0.5, 2.0, 1.0}}, 0.7, {0.4, 0.0, 0.3});
  EXPECT_NEAR(moved[1], 0.7, 1e-15);
}

TEST(SimplexQp, TwinConstraintsShareTheStepOfOne) {
  // Two copies of |psi|^2 = 2, Delta - margin = 1: together they move w by 1/2.
  const std::vector<double> alpha = solved({2, {2.0, 2.0, 2.0, 2.0}, {1.0, 1.0}}, 10.0, {0.0, 0.0});
  EXPECT_NEAR(sum(alpha), 0.5, 1e-12);
}

TEST(SimplexQp, AConstraintThatNothingCanMeetLeavesTheOthersFinite) {
  const std::vector<double> alpha = solved({2, {0.0, 0.0, 0.0, 1.0}, {1.0, 1.0}}, kInfinity, {0.0, 0.0});
  for (const double a : alpha) EXPECT_TRUE(std::isfinite(a));
}

TEST(SimplexQp, NothingIsViolatedSoNothingMoves) {
  Random random(3);
  RandomQp qp = random_qp(random, 4, 4);
  for (double& v : qp.linear) v = -std::abs(v);
  EXPECT_EQ(solved(qp, 1.0, {0, 0, 0, 0}), (std::vector<double>{0, 0, 0, 0}));
}

TEST(SimplexQp, AnEmptyProgramIsSolved) { EXPECT_TRUE(solved({0, {}, {}}, 1.0, {}).empty()); }

}  // namespace
}  // namespace hinge::test
