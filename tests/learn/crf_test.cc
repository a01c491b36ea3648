#include "hinge/learn/crf.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"
#include "tests/support/dense_likelihood.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

constexpr double kC = 0.5;

TrainResult trained(const Task& task, const Options& more, int threads = 1) {
  Options options{{"C", "0.5"}, {"unobserved", "true"}, {"epochs", "1000"}, {"tolerance", "1e-13"}};
  options.insert(options.end(), more.begin(), more.end());
  return train_quietly(
      task, {.learner = "crf", .options = options, .threads = threads, .objective = ObjectiveWhen::kEnd});
}

std::size_t zeros(const Weights& w) { return static_cast<std::size_t>(std::ranges::count(w.span(), 0.0f)); }

// The gradient of the smooth part is -l1 sign(w), and within l1 of 0 where w = 0.
void expect_optimal(const EnumeratedTask& task, const Weights& weights, const ObjectiveKind& kind) {
  const std::vector<double> w = in_double(weights);
  std::vector<double> gradient(w.size());
  dense_log_objective(task, kind, w, gradient);
  const std::vector<double> slope = least_subgradient(w, gradient, kind.l1);
  for (std::size_t d = 0; d < w.size(); ++d) EXPECT_NEAR(slope[d], 0.0, 1e-3) << d << ", at " << w[d];
}

TEST(Crf, WithTheL1RegularizerMeetsTheOptimalityConditions) {
  for (const auto& [name, task] : small_problems(4)) {
    SCOPED_TRACE(name);
    const Weights w = trained(task, {{"regularizer", "l1"}}).weights;
    expect_optimal(task, w, {.loss = Loss::kLog, .C = kC, .l2 = 0.0, .l1 = 1.0});
    EXPECT_GT(zeros(w), 0u);
  }
}

TEST(Crf, WithBothRegularizersMeetsTheOptimalityConditionsAndTheDenseSolver) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      for (const std::string l1 : {"0.05", "0.3", "1", "2"}) {
        SCOPED_TRACE(name + ", l1 = " + l1);
        const ObjectiveKind kind{.loss = Loss::kLog, .C = kC, .l1 = std::stod(l1)};
        const TrainResult result = trained(task, {{"l1", l1}});
        expect_optimal(task, result.weights, kind);
        const Optimum optimum = dense_likelihood_optimum(task, kind);
        const Objective end = result.history.back().objective.value();
        EXPECT_NEAR(end.primal, optimum.value, 1e-6 * optimum.value);
        for (std::size_t d = 0; d < optimum.w.size(); ++d) EXPECT_NEAR(result.weights[d], optimum.w[d], 1e-3);
      }
    }
  }
}

// By brute force, after every epoch and not only at the optimum.
TEST(Crf, TheObjectiveItReportsHasBothRegularizers) {
  for (const auto& [name, task] : small_problems(6)) {
    SCOPED_TRACE(name);
    const ObjectiveKind kind{.loss = Loss::kLog, .C = kC, .l1 = 0.3};
    Workers workers(1);
    const auto learner = configured("crf", {{"C", "0.5"}, {"l1", "0.3"}})->start(task, workers);
    Random random(1);
    for (int epoch = 0; epoch < 5; ++epoch) {
      run_pass(*learner, {}, random);
      const std::vector<double> w = in_double(learner->model());
      std::vector<double> gradient(w.size());
      double expected = dense_log_objective(task, kind, w, gradient);
      for (const double value : w) expected += kind.l1 * std::abs(value);
      const double found = measure_objective(task, learner->model(), learner->objective(), workers).primal;
      EXPECT_NEAR(found, expected, 1e-6 * expected);
    }
  }
}

TEST(Crf, AnL1OfZeroIsTheL2RegularizerToTheBit) {
  for (const auto& [name, task] : small_problems(2)) {
    SCOPED_TRACE(name);
    EXPECT_TRUE(
        std::ranges::equal(trained(task, {{"l1", "0"}}).weights.span(), trained(task, {}).weights.span()));
  }
}

// 1/2 |w|^2 is negligible compared with a large l1; C / l1 is the C for |w|_1 alone.
TEST(Crf, MuchL1LeavesNothingOfTheL2Regularizer) {
  const EnumeratedTask task = random_chains(3, 12, 3, 3);
  const Weights both = trained(task, {{"l1", "1e6"}, {"C", "1e6"}}).weights;
  const Weights alone = trained(task, {{"regularizer", "l1"}, {"C", "1"}}).weights;
  for (std::size_t d = 0; d < task.dimension(); ++d) EXPECT_NEAR(both[d], alone[d], 1e-2) << d;
}

TEST(Crf, MoreL1LeavesFewerWeightsAndInTheEndNone) {
  for (const auto& [name, task] : small_problems(5)) {
    SCOPED_TRACE(name);
    const std::size_t none = zeros(trained(task, {}).weights);
    const std::size_t some = zeros(trained(task, {{"l1", "0.3"}}).weights);
    const std::size_t more = zeros(trained(task, {{"l1", "1"}}).weights);
    EXPECT_LT(none, some);
    EXPECT_LT(some, more);
    EXPECT_EQ(zeros(trained(task, {{"l1", "1000"}}).weights), task.dimension());
  }
}

TEST(Crf, WithBothRegularizersTrainsTheSameBitsWithAnyNumberOfThreads) {
  const tbb::global_control more_than_cores(tbb::global_control::max_allowed_parallelism, 4);
  const EnumeratedTask task = random_multiclass(5, 60, 6, 2000);  // several chunks of weights
  const TrainResult alone = trained(task, {{"l1", "0.01"}});
  for (const int threads : {2, 3, 4}) {
    const TrainResult result = trained(task, {{"l1", "0.01"}}, threads);
    EXPECT_TRUE(std::ranges::equal(result.weights.span(), alone.weights.span())) << threads;
    EXPECT_EQ(result.history.back().objective->primal, alone.history.back().objective->primal) << threads;
  }
}

TEST(Crf, RefusesAnL1BesideTheL1Regularizer) {
  const EnumeratedTask task = random_multiclass(1, 5, 3, 3);
  try {
    trained(task, {{"l1", "0.5"}, {"regularizer", "l1"}});
    ADD_FAILURE() << "not refused";
  } catch (const OptionError& error) {
    EXPECT_NE(std::string(error.what()).find("crf: l1 is 0.5 but regularizer is l1"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(configured("crf", {{"l1", "-0.1"}}), OptionError);
}

TEST(Crf, LearnsOnlyWhatGoldShowsUnlessAsked) {
  const EnumeratedTask task = random_chains(3, 12, 3, 3);
  std::vector<bool> observed(task.dimension());
  for (std::size_t i = 0; i < task.size(); ++i) {
    for (const Entry& entry : task.examples()[i][0].features.entries()) observed[entry.id] = true;
  }
  const Weights few = train_quietly(task, {.learner = "crf"}).weights;
  const Weights all = train_quietly(task, {.learner = "crf", .options = {{"unobserved", "true"}}}).weights;
  std::size_t more = 0;
  for (std::size_t d = 0; d < task.dimension(); ++d) {
    EXPECT_TRUE(observed[d] || few[d] == 0.0f) << d;
    more += !observed[d] && all[d] != 0.0f;
  }
  EXPECT_GT(more, 0u);
}

}  // namespace
}  // namespace hinge::test
