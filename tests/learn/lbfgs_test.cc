#include "hinge/learn/batch/lbfgs.h"

#include <gtest/gtest.h>
#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hinge/core/random.h"

namespace hinge::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr int kPlenty = 2000;

double norm(std::span<const double> x) {
  double sum = 0.0;
  for (const double v : x) sum += v * v;
  return std::sqrt(sum);
}

struct Outcome {
  std::vector<double> x;
  double value = 0.0;
  double gradient_norm = 0.0;
  std::int64_t evaluations = 0;
  int steps = 0;
  Lbfgs::Step last = Lbfgs::Step::kMoved;
};

// Until |g| <= epsilon max(1, |x|), as in libLBFGS; with epsilon 0, as long as it moves.
Outcome minimize(const Lbfgs::Function& f, std::vector<double> start, const LbfgsOptions& options = {},
                 double epsilon = 0.0, int threads = 1, int max_steps = kPlenty) {
  Workers workers(threads);
  Lbfgs lbfgs(std::move(start), options, workers);
  Outcome run;
  while (run.last == Lbfgs::Step::kMoved && run.steps < max_steps) {
    run.last = lbfgs.step(f);
    ++run.steps;
    if (epsilon > 0.0 && lbfgs.gradient_norm() <= epsilon * std::max(1.0, norm(lbfgs.x()))) break;
  }
  run.x.assign(lbfgs.x().begin(), lbfgs.x().end());
  run.value = lbfgs.value();
  run.gradient_norm = lbfgs.gradient_norm();
  run.evaluations = lbfgs.evaluations();
  return run;
}

struct Yardstick {
  const Lbfgs::Function& f;
  std::int64_t evaluations = 0;

  static double evaluate(void* self, const double* x, double* gradient, int n, double) {
    auto& yardstick = *static_cast<Yardstick*>(self);
    ++yardstick.evaluations;
    const auto size = static_cast<std::size_t>(n);
    return yardstick.f({x, size}, {gradient, size});
  }
};

Outcome minimize_with_liblbfgs(const Lbfgs::Function& f, std::vector<double> x, double l1, double epsilon) {
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.epsilon = epsilon;
  parameters.orthantwise_c = l1;
  if (l1 > 0.0) parameters.linesearch = LBFGS_LINESEARCH_BACKTRACKING;  // all it offers with l1
  Yardstick yardstick{f};
  Outcome run;
  lbfgs(static_cast<int>(x.size()), x.data(), &run.value, Yardstick::evaluate, nullptr, &yardstick,
        &parameters);
  run.x = std::move(x);
  run.evaluations = yardstick.evaluations;
  return run;
}

// sum_j scale_j (x_j - center_j)^2 / 2
Lbfgs::Function quadratic(std::vector<double> scale, std::vector<double> center) {
  return [scale, center](std::span<const double> x, std::span<double> gradient) {
    double value = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      gradient[j] = scale[j] * (x[j] - center[j]);
      value += 0.5 * gradient[j] * (x[j] - center[j]);
    }
    return value;
  };
}

double rosenbrock(std::span<const double> x, std::span<double> gradient) {
  double value = 0.0;
  for (std::size_t j = 0; j + 1 < x.size(); j += 2) {
    const double a = 1.0 - x[j];
    const double b = x[j + 1] - x[j] * x[j];
    gradient[j] = -2.0 * a - 400.0 * x[j] * b;
    gradient[j + 1] = 200.0 * b;
    value += a * a + 100.0 * b * b;
  }
  return value;
}

std::vector<double> rosenbrock_start(std::size_t n) {
  std::vector<double> x(n, 1.0);
  for (std::size_t j = 0; j < n; j += 2) x[j] = -1.2;
  return x;
}

// Logistic regression on random data with a third of the true weights zero.
class Logistic {
 public:
  static constexpr std::size_t kRows = 200;
  static constexpr std::size_t kColumns = 30;

  Logistic(std::uint64_t seed, double l2) : l2_(l2), data_(kRows * kColumns), sign_(kRows) {
    Random random(seed);
    std::vector<double> truth(kColumns);
    for (std::size_t j = 0; j < kColumns; ++j) truth[j] = j % 3 == 0 ? 0.0 : 4.0 * random.uniform() - 2.0;
    for (std::size_t i = 0; i < kRows; ++i) {
      double score = 2.0 * random.uniform() - 1.0;
      for (std::size_t j = 0; j < kColumns; ++j) {
        double& value = data_[i * kColumns + j];
        value = (2.0 * random.uniform() - 1.0) * (j % 5 == 0 ? 3.0 : 1.0);
        score += value * truth[j];
      }
      sign_[i] = score > 0.0 ? 1.0 : -1.0;
    }
  }

  double operator()(std::span<const double> x, std::span<double> gradient) const {
    double value = 0.0;
    for (std::size_t j = 0; j < kColumns; ++j) {
      gradient[j] = l2_ * x[j];
      value += 0.5 * l2_ * x[j] * x[j];
    }
    for (std::size_t i = 0; i < kRows; ++i) {
      const double* row = &data_[i * kColumns];
      double margin = 0.0;
      for (std::size_t j = 0; j < kColumns; ++j) margin += sign_[i] * row[j] * x[j];
      value += std::max(0.0, -margin) + std::log1p(std::exp(-std::abs(margin)));
      const double pull = -sign_[i] / (1.0 + std::exp(margin));
      for (std::size_t j = 0; j < kColumns; ++j) gradient[j] += pull * row[j];
    }
    return value;
  }

 private:
  double l2_;
  std::vector<double> data_;  // [rows][columns]
  std::vector<double> sign_;
};

const std::vector<double> kZeros(Logistic::kColumns, 0.0);

TEST(Lbfgs, FindsTheCenterOfABowl) {
  const std::vector<double> center{3.0, -1.0, 0.5, 20.0, 0.0};
  const Outcome run = minimize(quadratic({1.0, 100.0, 0.01, 5.0, 2.0}, center), std::vector<double>(5, 1.0));
  EXPECT_NE(run.last, Lbfgs::Step::kMoved);
  for (std::size_t j = 0; j < center.size(); ++j) EXPECT_NEAR(run.x[j], center[j], 1e-7);
  EXPECT_NEAR(run.value, 0.0, 1e-14);
}

// The minimum of a (x - c)^2 / 2 + l1 |x| is c, shrunk by l1 / a towards zero.
TEST(Lbfgs, WithL1ABowlIsLeftAtTheShrunkCenter) {
  const Outcome run = minimize(quadratic({1.0, 100.0, 0.01, 5.0, 2.0}, {3.0, -1.0, 0.5, 20.0, -0.25}),
                               std::vector<double>(5, 1.0), {.l1 = 2.0});
  const std::vector<double> expected{1.0, -0.98, 0.0, 19.6, 0.0};
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(run.x[j], expected[j], 1e-7);
  EXPECT_EQ(run.x[2], 0.0);
  EXPECT_EQ(run.x[4], 0.0);
}

TEST(Lbfgs, FindsTheEndOfTheRosenbrockValley) {
  const Outcome run = minimize(rosenbrock, rosenbrock_start(2));
  for (const double v : run.x) EXPECT_NEAR(v, 1.0, 1e-9);
  EXPECT_LT(run.evaluations, 80);
}

TEST(Lbfgs, AtMostHalfAsManyEvaluationsAgainAsLibLbfgs) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Logistic logistic(seed, /*l2=*/seed % 2 == 0 ? 0.1 : 1.0);
    const Outcome ours = minimize(logistic, kZeros, {}, 1e-9);
    const Outcome theirs = minimize_with_liblbfgs(logistic, kZeros, /*l1=*/0.0, 1e-9);
    EXPECT_NEAR(ours.value, theirs.value, 1e-6 * theirs.value);
    EXPECT_LE(2 * ours.evaluations, 3 * theirs.evaluations);
  }
}

TEST(Lbfgs, HistoriesInFloatCostNoEvaluationsWhereCurvaturesDiffer10000Fold) {
  std::vector<double> scale(100);
  for (std::size_t j = 0; j < scale.size(); ++j) scale[j] = std::pow(1e4, static_cast<double>(j) / 99.0);
  const std::vector<double> start(100, 0.0);
  const Lbfgs::Function bowl = quadratic(scale, std::vector<double>(100, 1.0));
  for (const double epsilon : {1e-3, 1e-6, 1e-9}) {
    const Outcome ours = minimize(bowl, start, {}, epsilon);
    const Outcome theirs = minimize_with_liblbfgs(bowl, start, /*l1=*/0.0, epsilon);
    EXPECT_LE(10 * ours.evaluations, 12 * theirs.evaluations);
  }
}

TEST(Lbfgs, ManyRosenbrockValleysAtOnceTakeAboutAsLongAsWithLibLbfgs) {
  const Outcome ours = minimize(rosenbrock, rosenbrock_start(100), {}, 1e-9);
  const Outcome theirs = minimize_with_liblbfgs(rosenbrock, rosenbrock_start(100), /*l1=*/0.0, 1e-9);
  EXPECT_LE(2 * ours.evaluations, 3 * theirs.evaluations);
}

// Closer to the optimum than 1e-6, rounding dominates the values and thus the counts.
TEST(Lbfgs, WithL1AtMostHalfAsManyEvaluationsAgainAsLibLbfgsAndTheSameZeros) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Logistic logistic(seed, /*l2=*/0.0);
    const double l1 = seed % 2 == 0 ? 1.0 : 4.0;
    const Outcome ours = minimize(logistic, kZeros, {.l1 = l1}, 1e-6);
    const Outcome theirs = minimize_with_liblbfgs(logistic, kZeros, l1, 1e-6);
    EXPECT_NEAR(ours.value, theirs.value, 1e-6 * theirs.value);
    EXPECT_LE(2 * ours.evaluations, 3 * theirs.evaluations);
    for (std::size_t j = 0; j < kZeros.size(); ++j) EXPECT_EQ(ours.x[j] == 0.0, theirs.x[j] == 0.0) << j;
  }
}

TEST(Lbfgs, WithL1ItEndsWhereZeroIsASubgradient) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Logistic logistic(seed, /*l2=*/0.0);
    const double l1 = 0.5 * static_cast<double>(seed);
    const Outcome run = minimize(logistic, kZeros, {.l1 = l1});
    EXPECT_NE(run.last, Lbfgs::Step::kMoved);
    std::vector<double> gradient(kZeros.size());
    logistic(run.x, gradient);
    for (std::size_t j = 0; j < run.x.size(); ++j) {
      if (run.x[j] == 0.0) {
        EXPECT_LE(std::abs(gradient[j]), l1 + 1e-5) << j;
      } else {
        EXPECT_NEAR(gradient[j], -std::copysign(l1, run.x[j]), 1e-5) << j;
      }
    }
  }
}

TEST(Lbfgs, ValueAndNormAreThoseAtX) {
  for (const double l1 : {0.0, 2.0}) {
    const Logistic logistic(3, /*l2=*/0.5);
    const Outcome run = minimize(logistic, kZeros, {.l1 = l1}, 0.0, /*threads=*/1, /*max_steps=*/7);
    std::vector<double> gradient(kZeros.size());
    double value = logistic(run.x, gradient);
    for (std::size_t j = 0; j < run.x.size(); ++j) {
      value += l1 * std::abs(run.x[j]);
      if (run.x[j] != 0.0) gradient[j] += std::copysign(l1, run.x[j]);
      if (run.x[j] == 0.0)
        gradient[j] = std::copysign(std::max(0.0, std::abs(gradient[j]) - l1), gradient[j]);
    }
    EXPECT_NEAR(run.value, value, 1e-12 * value);
    EXPECT_NEAR(run.gradient_norm, norm(gradient), 1e-12 * norm(gradient));
  }
}

TEST(Lbfgs, NoStepRaisesTheValue) {
  for (const double l1 : {0.0, 1.0}) {
    const Logistic logistic(4, /*l2=*/0.01);
    Workers workers(1);
    Lbfgs lbfgs(std::vector<double>(kZeros.size(), 1.0), {.l1 = l1}, workers);
    lbfgs.step(logistic);
    for (double before = lbfgs.value(); lbfgs.step(logistic) == Lbfgs::Step::kMoved; before = lbfgs.value()) {
      EXPECT_LE(lbfgs.value(), before);
    }
  }
}

// Long enough for several chunks, with the last one not full.
std::vector<double> start_of_many(std::size_t n) {
  Random random(9);
  std::vector<double> x(n);
  for (double& v : x) v = 4.0 * random.uniform() - 2.0;
  return x;
}

TEST(Lbfgs, TheNumberOfThreadsNeverShows) {
  for (const double l1 : {0.0, 0.3}) {
    const std::vector<double> start = start_of_many(20002);
    const Outcome one = minimize(rosenbrock, start, {.l1 = l1}, 0.0, /*threads=*/1, /*max_steps=*/15);
    for (const int threads : {2, 3}) {
      const Outcome many = minimize(rosenbrock, start, {.l1 = l1}, 0.0, threads, /*max_steps=*/15);
      EXPECT_EQ(one.x, many.x);
      EXPECT_EQ(one.value, many.value);
      EXPECT_EQ(one.evaluations, many.evaluations);
    }
  }
}

// All state is in members, so saving them is enough.
TEST(Lbfgs, ACopyGoesOnAsTheOriginalDoes) {
  for (const double l1 : {0.0, 1.0}) {
    const Logistic logistic(8, /*l2=*/0.1);
    Workers workers(1);
    Lbfgs original(kZeros, {.l1 = l1}, workers);
    for (int k = 0; k < 10; ++k) original.step(logistic);
    Lbfgs copy(original);
    for (int k = 0; k < 10; ++k) original.step(logistic);
    for (int k = 0; k < 10; ++k) copy.step(logistic);
    EXPECT_TRUE(std::ranges::equal(original.x(), copy.x()));
    EXPECT_EQ(original.value(), copy.value());
    EXPECT_EQ(original.evaluations(), copy.evaluations());
  }
}

// -log x + x - log(1 - y) - y, undefined from x = 0 down and from y = 1 up; (1, 0) is best.
TEST(Lbfgs, StepsThatLeaveTheDomainAreShortened) {
  const Lbfgs::Function barrier = [](std::span<const double> x, std::span<double> gradient) {
    if (x[0] <= 0.0 || x[1] >= 1.0) {
      gradient[0] = gradient[1] = kNan;
      return kNan;
    }
    gradient[0] = 1.0 - 1.0 / x[0];
    gradient[1] = 1.0 / (1.0 - x[1]) - 1.0;
    return x[0] - std::log(x[0]) - x[1] - std::log(1.0 - x[1]);
  };
  for (const std::vector<double>& start : {std::vector{1e-6, 0.5}, {5.0, 1.0 - 1e-9}, {50.0, -50.0}}) {
    const Outcome run = minimize(barrier, start);
    EXPECT_NEAR(run.x[0], 1.0, 1e-6);
    EXPECT_NEAR(run.x[1], 0.0, 1e-6);
  }
  const Outcome shrunk = minimize(barrier, {1e-6, 0.5}, {.l1 = 1.0});
  EXPECT_NEAR(shrunk.x[0], 0.5, 1e-6);
  EXPECT_EQ(shrunk.x[1], 0.0);
}

TEST(Lbfgs, AtTheOptimumItHasConvergedAtOnce) {
  const Outcome bowl = minimize(quadratic({1.0, 2.0}, {3.0, 4.0}), {3.0, 4.0});
  EXPECT_EQ(bowl.last, Lbfgs::Step::kConverged);
  EXPECT_EQ(bowl.evaluations, 1);
  const Outcome zero = minimize(quadratic({1.0, 2.0}, {3.0, -4.0}), {0.0, 0.0}, {.l1 = 10.0});
  EXPECT_EQ(zero.last, Lbfgs::Step::kConverged);
  EXPECT_EQ(zero.x, (std::vector<double>{0.0, 0.0}));
}

TEST(Lbfgs, AKinkWithoutAnyDescentLeavesItStuckAtTheBestPoint) {
  const Lbfgs::Function kink = [](std::span<const double> x, std::span<double> gradient) {
    gradient[0] = x[0] < 0.0 ? -1.0 : 1.0;  // at 0 the gradient promises a descent that does not exist
    return std::abs(x[0]);
  };
  const Outcome run = minimize(kink, {0.0});
  EXPECT_EQ(run.last, Lbfgs::Step::kStuck);
  EXPECT_EQ(run.x[0], 0.0);
  EXPECT_EQ(run.value, 0.0);
}

TEST(Lbfgs, AStartWithoutAValueIsStuck) {
  const Outcome run = minimize([](auto, auto) { return kNan; }, {1.0, 2.0});
  EXPECT_EQ(run.last, Lbfgs::Step::kStuck);
  EXPECT_EQ(run.x, (std::vector<double>{1.0, 2.0}));
}

TEST(Lbfgs, WithoutVariablesThereIsNothingToDo) {
  const Outcome run = minimize([](auto, auto) { return 7.0; }, {});
  EXPECT_EQ(run.last, Lbfgs::Step::kConverged);
  EXPECT_EQ(run.value, 7.0);
}

TEST(Lbfgs, AMemoryOfOnePairIsEnough) {
  const Outcome run = minimize(rosenbrock, rosenbrock_start(2), {.memory = 1});
  for (const double v : run.x) EXPECT_NEAR(v, 1.0, 1e-6);
}

}  // namespace
}  // namespace hinge::test
