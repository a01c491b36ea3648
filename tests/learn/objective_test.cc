#include "hinge/learn/driver/objective.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "tests/support/dense_qp.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

constexpr double kC = 0.7;

// Multiples of 2^-10, so that w + h is exact for the h of finite differences.
Weights random_weights(Random& random, std::size_t dimension) {
  Weights w(dimension);
  for (float& value : w.span()) value = (static_cast<float>(random.below(1025)) - 512.0f) / 1024.0f;
  return w;
}

const std::vector<ObjectiveKind> kKinds{{.loss = Loss::kL1, .C = kC},
                                        {.loss = Loss::kL2, .C = kC},
                                        {.loss = Loss::kL1, .C = kC, .l2 = 0.0, .l1 = 1.0},
                                        {.loss = Loss::kL1, .C = kC, .l1 = 0.4}};

TEST(Objective, EqualsBruteForceOverAllCandidates) {
  Workers workers(2);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      Random random(seed);
      const Weights w = random_weights(random, task.dimension());
      for (const ObjectiveKind& kind : kKinds) {
        const Objective measured = measure_objective(task, w, kind, workers);
        const double expected = dense_primal(task, kind, in_double(w));
        EXPECT_NEAR(measured.primal, expected, 1e-12 * expected);
        EXPECT_DOUBLE_EQ(measured.primal, measured.regularizer + kC * measured.loss);
        EXPECT_FALSE(measured.gap().has_value());
        EXPECT_FALSE(measured.estimate);
      }
    }
  }
}

TEST(Objective, AtZeroWeightsIsTheLargestLossOfEveryExample) {
  const EnumeratedTask task = random_trees(3, 8, 4);  // for every tree there is one with all heads wrong
  Workers workers(1);
  const Weights zero(task.dimension());
  EXPECT_DOUBLE_EQ(measure_objective(task, zero, kKinds[0], workers).loss, 8.0 * 4.0);
  EXPECT_DOUBLE_EQ(measure_objective(task, zero, kKinds[1], workers).loss, 8.0 * 16.0);
  EXPECT_EQ(measure_objective(task, zero, kKinds[0], workers).violated, 8);
}

TEST(Objective, IsTheSameToTheLastBitWithAnyNumberOfThreads) {
  const tbb::global_control more_than_cores(tbb::global_control::max_allowed_parallelism, 6);
  const EnumeratedTask task = random_multiclass(11, 200, 5, 7);
  Random random(11);
  const Weights w = random_weights(random, task.dimension());
  for (const ObjectiveKind& kind : kKinds) {
    Workers one(1);
    const double alone = measure_objective(task, w, kind, one).primal;
    for (const int threads : {2, 3, 5}) {
      Workers many(threads);
      EXPECT_EQ(measure_objective(task, w, kind, many).primal, alone) << threads << " threads";
    }
  }
}

std::vector<SparseVector> rivals_at(const Task& task, const Weights& w, std::vector<double>& violation) {
  const auto scratch = task.make_scratch();
  std::vector<SparseVector> psi(task.size());
  violation.resize(task.size());
  for (std::size_t i = 0; i < task.size(); ++i) {
    Cut cut;
    task.most_violated(i, w, /*loss_weight=*/1.0, *scratch, cut);
    violation[i] = std::max(0.0, cut.violation());
    psi[i] = to_sparse(cut.psi);
    psi[i].merge();
  }
  return psi;
}

bool same(const std::vector<SparseVector>& a, const std::vector<SparseVector>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!std::ranges::equal(a[i].entries(), b[i].entries())) return false;
  }
  return true;
}

// R'(w) + C sum_i psi'(H_i) (-psi_i)
std::vector<double> subgradient(const Task& task, const Weights& w, const ObjectiveKind& kind) {
  std::vector<double> violation;
  const std::vector<SparseVector> psi = rivals_at(task, w, violation);
  std::vector<double> g(task.dimension());
  for (std::size_t d = 0; d < g.size(); ++d) {
    g[d] = kind.l2 * w[d] + std::copysign(kind.l1, w[d]);
  }
  for (std::size_t i = 0; i < psi.size(); ++i) {
    const double slope = kind.loss == Loss::kL2 ? 2.0 * violation[i] : 1.0;
    for (const Entry& entry : psi[i].entries()) g[entry.id] -= kC * slope * entry.value;
  }
  return g;
}

// P is quadratic as long as no example changes its rival (and, with |w|_1, no
// weight its sign): there central differences are exact up to rounding.
TEST(Objective, CentralDifferencesEqualTheSubgradientOfTheRivals) {
  constexpr float kStep = 0x1.0p-8f;
  Workers workers(1);
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      Random random(seed + 50);
      const Weights w = random_weights(random, task.dimension());
      std::vector<double> unused;
      const std::vector<SparseVector> here = rivals_at(task, w, unused);
      std::size_t compared = 0;
      for (std::size_t d = 0; d < task.dimension(); ++d) {
        Weights up = w;
        Weights down = w;
        up[d] += kStep;
        down[d] -= kStep;
        if (!same(here, rivals_at(task, up, unused)) || !same(here, rivals_at(task, down, unused))) continue;
        if (std::abs(w[d]) <= kStep) continue;
        ++compared;
        for (const ObjectiveKind& kind : kKinds) {
          const double slope = (measure_objective(task, up, kind, workers).primal -
                                measure_objective(task, down, kind, workers).primal) /
                               (2.0 * kStep);
          EXPECT_NEAR(slope, subgradient(task, w, kind)[d], 1e-9) << "weight " << d;
        }
      }
      EXPECT_GE(compared, task.dimension() / 2) << "the test has lost its teeth";
    }
  }
}

TEST(Objective, TheSubgradientBoundsTheObjectiveFromBelowEverywhere) {
  Workers workers(1);
  for (const auto& [name, task] : small_problems(9)) {
    SCOPED_TRACE(name);
    Random random(10);
    const Weights w = random_weights(random, task.dimension());
    for (const ObjectiveKind& kind : kKinds) {
      const double here = measure_objective(task, w, kind, workers).primal;
      const std::vector<double> g = subgradient(task, w, kind);
      for (int trial = 0; trial < 50; ++trial) {
        const Weights there = random_weights(random, task.dimension());
        double tangent = here;
        for (std::size_t d = 0; d < g.size(); ++d)
          tangent += g[d] * (static_cast<double>(there[d]) - static_cast<double>(w[d]));
        EXPECT_GE(measure_objective(task, there, kind, workers).primal, tangent - 1e-9);
      }
    }
  }
}

TEST(Objective, ATaskThatBreaksItsPromiseIsNamedByExample) {
  const EnumeratedTask inner = random_multiclass(1, 9, 3, 4);
  const WrappedTask broken(inner, [](std::size_t i, Cut& cut) {
    if (i == 6) cut.loss = -1.0;
  });
  for (const int threads : {1, 2}) {
    Workers workers(threads);
    try {
      measure_objective(broken, Weights(inner.dimension()), kKinds[0], workers);
      ADD_FAILURE() << "not noticed";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("example 6"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace hinge::test
