// The reference solver against optima computed by hand.
#include "tests/support/dense_qp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "hinge/core/random.h"

namespace hinge::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kClose = 1e-7;

// One rival per example: psi and Delta given, gold without features.
EnumeratedTask one_rival_each(const std::vector<std::pair<std::vector<float>, double>>& constraints) {
  std::vector<std::vector<Candidate>> examples;
  for (const auto& [psi, loss] : constraints) {
    Candidate rival{.loss = loss};
    for (std::size_t d = 0; d < psi.size(); ++d) rival.features.add(static_cast<FeatureId>(d), -psi[d]);
    examples.push_back({Candidate{}, rival});
  }
  return {std::move(examples), constraints[0].first.size()};
}

TEST(DenseQp, OneExampleWithOneRivalHasItsClosedFormBelowAndAtTheBoundC) {
  const EnumeratedTask task = one_rival_each({{{3.0f, -4.0f}, 2.0}});  // |psi|^2 = 25
  for (const double C : {0.01, 0.05, 0.08, 0.5, 10.0}) {
    SCOPED_TRACE(C);
    const double alpha = std::min(C, 2.0 / 25.0);
    const Optimum optimum = dense_optimum(task, {.loss = Loss::kL1, .C = C});
    EXPECT_NEAR(optimum.value, 0.5 * alpha * alpha * 25.0 + C * (2.0 - 25.0 * alpha), kClose);
    EXPECT_NEAR(optimum.w[0], 3.0 * alpha, kClose);
    EXPECT_NEAR(optimum.w[1], -4.0 * alpha, kClose);
  }
}

TEST(DenseQp, OneExampleWithOneRivalHasItsClosedFormInTheSquaredLoss) {
  const EnumeratedTask task = one_rival_each({{{3.0f, -4.0f}, 2.0}});
  for (const double C : {0.01, 0.5, 10.0}) {
    SCOPED_TRACE(C);
    const double curvature = 25.0 + 1.0 / (2.0 * C);
    const Optimum optimum = dense_optimum(task, {.loss = Loss::kL2, .C = C});
    EXPECT_NEAR(optimum.value, 0.5 * 2.0 * 2.0 / curvature, kClose);
    EXPECT_NEAR(optimum.w[0], 3.0 * 2.0 / curvature, 1e-4);
  }
}

TEST(DenseQp, ExamplesOnDifferentFeaturesAddUp) {
  const EnumeratedTask task = one_rival_each({{{1.0f, 0.0f}, 1.0}, {{0.0f, 2.0f}, 3.0}});
  // alpha_1 = min(C, 1), alpha_2 = min(C, 3/4)
  const Optimum optimum = dense_optimum(task, {.loss = Loss::kL1, .C = 0.8});
  EXPECT_NEAR(optimum.value, (0.5 * 0.64 + 0.8 * 0.2) + 0.5 * 9.0 / 4.0, kClose);
}

TEST(DenseQp, OppositeExamplesCancelToZeroWeights) {
  const EnumeratedTask task = one_rival_each({{{1.0f, 2.0f}, 1.5}, {{-1.0f, -2.0f}, 1.5}});
  const Optimum hinge = dense_optimum(task, {.loss = Loss::kL1, .C = 0.7});
  EXPECT_NEAR(hinge.value, 2.0 * 0.7 * 1.5, kClose);
  EXPECT_NEAR(std::abs(hinge.w[0]) + std::abs(hinge.w[1]), 0.0, 1e-6);
  const Optimum squared = dense_optimum(task, {.loss = Loss::kL2, .C = 0.7});
  EXPECT_NEAR(squared.value, 2.0 * 0.7 * 1.5 * 1.5, 1e-6);
}

TEST(DenseQp, OfTwoRivalsOfOneExampleTheDominatedOneDoesNotMatter) {
  Candidate near{.loss = 1.0};
  near.features.add(0, -1.0f);
  Candidate far{.loss = 0.5};
  far.features.add(0, -4.0f);
  const EnumeratedTask both({{Candidate{}, near, far}}, 1);
  const EnumeratedTask alone({{Candidate{}, near}}, 1);
  for (const Loss loss : {Loss::kL1, Loss::kL2}) {
    EXPECT_NEAR(dense_optimum(both, {.loss = loss, .C = 3.0}).value,
                dense_optimum(alone, {.loss = loss, .C = 3.0}).value, kClose);
  }
}

TEST(DenseQp, TheL1RegularizerPutsAllWeightOnTheLargestFeatureOrNone) {
  const EnumeratedTask task = one_rival_each({{{3.0f, -4.0f}, 2.0}});
  const auto solve = [&](double C) {
    return dense_optimum(task, {.loss = Loss::kL1, .C = C, .l2 = 0.0, .l1 = 1.0});
  };
  EXPECT_NEAR(solve(0.2).value, 0.2 * 2.0, kClose);  // C |psi|_inf < 1: w = 0
  EXPECT_NEAR(solve(5.0).value, 2.0 / 4.0, kClose);  // otherwise w reaches the margin along one feature
  EXPECT_NEAR(solve(5.0).w[0], 0.0, 1e-6);
  EXPECT_NEAR(solve(5.0).w[1], -0.5, 1e-6);
}

TEST(DenseQp, NoDirectionLeadsBelowTheOptimum) {
  for (const auto& [name, task] : small_problems(5)) {
    for (const bool l1 : {false, true}) {
      for (const Loss loss : {Loss::kL1, Loss::kL2}) {
        if (l1 && loss == Loss::kL2) continue;
        SCOPED_TRACE(name);
        const ObjectiveKind kind{.loss = loss, .C = 0.5, .l2 = l1 ? 0.0 : 1.0, .l1 = l1 ? 1.0 : 0.0};
        const Optimum optimum = dense_optimum(task, kind, 1e-7);
        EXPECT_LE(optimum.bound, optimum.value);
        EXPECT_NEAR(dense_primal(task, kind, optimum.w), optimum.value, 1e-12);
        Random random(7);
        for (int trial = 0; trial < 100; ++trial) {
          std::vector<double> w = optimum.w;
          const double size = std::pow(0.1, 1 + trial % 4);
          for (double& x : w) x += size * (2.0 * random.uniform() - 1.0);
          EXPECT_GE(dense_primal(task, kind, w), optimum.bound);
        }
      }
    }
  }
}

TEST(DenseQp, ProjectionOntoTheSimplexClipsAndShifts) {
  const auto projected = [](std::vector<double> a, double C) {
    project_to_simplex(a, C);
    return a;
  };
  EXPECT_EQ(projected({0.25, -1.0, 0.5}, 1.0), (std::vector<double>{0.25, 0.0, 0.5}));
  EXPECT_EQ(projected({1.0, 1.0, 1.0}, 1.5), (std::vector<double>{0.5, 0.5, 0.5}));
  EXPECT_EQ(projected({3.0, 1.0, -2.0}, 2.0), (std::vector<double>{2.0, 0.0, 0.0}));
  EXPECT_EQ(projected({3.0, 2.0, 0.5}, 2.0), (std::vector<double>{1.5, 0.5, 0.0}));
  EXPECT_EQ(projected({3.0, -1.0}, kInfinity), (std::vector<double>{3.0, 0.0}));
}

TEST(DenseQp, SmallQpsHaveTheSolutionsWorkedOutByHand) {
  const std::vector<double> gram{2.0, 0.0, 0.0, 4.0};
  const std::vector<double> linear{2.0, 2.0};
  const std::vector<double> free = dense_simplex_qp(gram, linear, kInfinity);
  EXPECT_NEAR(free[0], 1.0, 1e-9);
  EXPECT_NEAR(free[1], 0.5, 1e-9);
  // On sum a = 0.9: 2 - 2 a = 2 - 4 b, so a = 0.6, b = 0.3.
  const std::vector<double> bound = dense_simplex_qp(gram, linear, 0.9);
  EXPECT_NEAR(bound[0], 0.6, 1e-9);
  EXPECT_NEAR(bound[1], 0.3, 1e-9);
  EXPECT_NEAR(simplex_qp_value(gram, linear, bound), 1.8 - 0.36 - 0.18, 1e-9);
}

}  // namespace
}  // namespace hinge::test
