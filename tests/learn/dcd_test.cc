#include "hinge/learn/dcd.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/dense_qp.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

constexpr double kC = 0.5;

std::vector<std::uint32_t> in_order(const Task& task) {
  std::vector<std::uint32_t> order(task.size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

double largest_difference(const Weights& a, const Weights& b) {
  double largest = 0.0;
  for (std::size_t d = 0; d < a.size(); ++d)
    largest = std::max(largest, std::abs(static_cast<double>(a[d]) - static_cast<double>(b[d])));
  return largest;
}

TEST(Dcd, OneRivalIsSolvedInOneStep) {
  Candidate rival{.loss = 2.0};
  rival.features.add(0, -3.0f);
  rival.features.add(1, 4.0f);
  const EnumeratedTask task({{Candidate{}, rival}}, 2);
  Workers workers(1);
  const auto learner = make_dcd(task, {.C = kC, .tolerance = 1e-6}, workers);
  Random random(1);
  run_pass(*learner, {0}, random);
  const double alpha = 2.0 / (25.0 + 1.0 / (2.0 * kC));
  EXPECT_NEAR(learner->model()[0], 3.0 * alpha, 1e-7);
  EXPECT_NEAR(learner->model()[1], -4.0 * alpha, 1e-7);
  EXPECT_NEAR(learner->dual().value(), 0.5 * 2.0 * alpha, 1e-7);
}

TEST(Dcd, TheDualNeverFallsAndNeverPassesThePrimal) {
  Workers workers(1);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      const double best = dense_optimum(task, {.loss = Loss::kL2, .C = kC}).value;
      const double rounding = 1e-6 * best;
      Workers workers(1);
      const auto learner = make_dcd(task, {.C = kC, .tolerance = 1e-4}, workers);
      Random random(seed);
      double before = 0.0;
      for (int pass = 0; pass < 40; ++pass) {
        run_pass(*learner, in_order(task), random);
        const double dual = learner->dual().value();
        const double primal = measure_objective(task, learner->model(), learner->objective(), workers).primal;
        EXPECT_GE(dual, before - rounding) << "pass " << pass;
        EXPECT_LE(dual, best + rounding) << "pass " << pass;
        EXPECT_GE(primal, best - rounding) << "pass " << pass;
        before = dual;
      }
    }
  }
}

// At the end no rival violates its margin by more than the example's dual slack
// plus the tolerance, so the tolerance bounds the gap:
//   P - D = sum_i [ C H_i^2 + m_i^2 / 4C ] - sum alpha (Delta - w . psi),
// with H_i < m_i / 2C + tolerance; if alpha is also optimal, that is at most
// sum_i [ m_i tolerance + C tolerance^2 ].
TEST(Dcd, TheGapShrinksWithTheTolerance) {
  for (const auto& [name, task] : small_problems(6)) {
    for (const double tolerance : {1e-1, 1e-2, 1e-3, 1e-4}) {
      SCOPED_TRACE(name);
      const TrainResult result = train_quietly(
          task, {.learner = "dcd",
                 .options = {{"C", "0.5"}, {"epochs", "300"}, {"tolerance", std::to_string(tolerance)}},
                 .objective = ObjectiveWhen::kEnd});
      const Objective end = result.history.back().objective.value();
      const double n = static_cast<double>(task.size());
      // sum_i m_i = 2C sum_i H_i at the optimum, and sum H <= sqrt(n sum H^2).
      const double mass = 2.0 * kC * std::sqrt(n * end.loss);
      EXPECT_GE(end.gap().value(), -1e-6 * end.primal);
      EXPECT_LE(end.gap().value(),
                1.5 * (mass * tolerance + n * kC * tolerance * tolerance) + 1e-4 * end.primal)
          << "tolerance " << tolerance;
    }
  }
}

TEST(Dcd, AtTheOptimumTheWeightsAreThoseOfTheDenseSolver) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      const Optimum optimum = dense_optimum(task, {.loss = Loss::kL2, .C = kC}, 1e-9);
      const TrainResult result = train_quietly(
          task, {.learner = "dcd", .options = {{"C", "0.5"}, {"epochs", "300"}, {"tolerance", "1e-6"}}});
      for (std::size_t d = 0; d < task.dimension(); ++d)
        EXPECT_NEAR(result.weights[d], optimum.w[d], 2e-3) << "weight " << d;
    }
  }
}

TEST(Dcd, WithoutInnerPassesItEndsInTheSamePlace) {
  for (const auto& [name, task] : small_problems(8)) {
    SCOPED_TRACE(name);
    const Optimum optimum = dense_optimum(task, {.loss = Loss::kL2, .C = kC});
    const TrainResult light = train_quietly(
        task, {.learner = "dcd",
               .options = {{"C", "0.5"}, {"epochs", "1500"}, {"tolerance", "1e-6"}, {"inner_passes", "0"}},
               .objective = ObjectiveWhen::kEnd});
    EXPECT_NEAR(light.history.back().objective->primal, optimum.value, 1e-4 * optimum.value);
  }
}

TEST(Dcd, TheModelIsTheWeightsItDecodesWithFreedOfResidues) {
  for (const auto& [name, inner] : small_problems(2)) {
    SCOPED_TRACE(name);
    const WrappedTask task(inner);
    Workers workers(1);
    const auto learner = make_dcd(task, {.C = kC, .tolerance = 1e-6}, workers);
    Random random(2);
    for (int pass = 0; pass < 20; ++pass) run_pass(*learner, in_order(task), random);
    EXPECT_LE(largest_difference(learner->model(), task.asked_with()), 1e-5);
  }
}

// Steps too small for a float change alpha but not w; these errors must not accumulate.
TEST(Dcd, ManyPassesAfterConvergenceDoNoHarm) {
  Workers workers(1);
  for (const auto& [name, inner] : small_problems(2)) {
    SCOPED_TRACE(name);
    const WrappedTask task(inner);
    Workers workers(1);
    const auto learner = make_dcd(task, {.C = kC, .tolerance = 1e-6}, workers);
    Random random(2);
    for (int pass = 0; pass < 3000; ++pass) run_pass(*learner, in_order(task), random);
    EXPECT_LE(largest_difference(learner->model(), task.asked_with()), 1e-5);
    const double primal = measure_objective(task, learner->model(), learner->objective(), workers).primal;
    EXPECT_LE(primal - learner->dual().value(), 1e-5 * primal);
  }
}

TEST(Dcd, AToleranceNothingReachesLeavesTheModelEmpty) {
  const EnumeratedTask task = random_chains(1, 6, 3, 3);
  const TrainResult result =
      train_quietly(task, {.learner = "dcd", .options = {{"tolerance", "100"}, {"epochs", "2"}}});
  for (const float value : result.weights.span()) EXPECT_EQ(value, 0.0f);
  EXPECT_EQ(result.history.back().updates, 0);
}

// psi = 0 after merging, but the loss is not: no w removes the slack. alpha = 2 C Delta.
TEST(Dcd, ARivalThatLooksLikeGoldCostsItsLossAndMovesNothing) {
  Candidate twin{.loss = 1.5};
  twin.features.add(0, 1.0f);
  Candidate gold;
  gold.features.add(0, 1.0f);
  const EnumeratedTask task({{gold, twin}}, 1);
  Workers workers(1);
  const auto learner = make_dcd(task, {.C = kC, .tolerance = 1e-6}, workers);
  Random random(1);
  for (int pass = 0; pass < 3; ++pass) run_pass(*learner, {0}, random);
  EXPECT_EQ(learner->model()[0], 0.0f);
  EXPECT_NEAR(learner->dual().value(), kC * 1.5 * 1.5, 1e-9);
  EXPECT_NEAR(measure_objective(task, learner->model(), learner->objective(), workers).primal, kC * 1.5 * 1.5,
              1e-9);
}

}  // namespace
}  // namespace hinge::test
