// The dual of one machine, solved by shards (learn/dual/rounds.h). That ranks and
// threads change no byte is tested for all learners in shards_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "tests/support/dense_qp.h"
#include "tests/support/thread_communicator.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

constexpr std::size_t kShards = 4;

struct Method {
  std::string learner;
  Loss loss;
  std::string epochs;
  double tolerance;  // relative
};

void PrintTo(const Method& method, std::ostream* out) { *out << method.learner; }

class EveryDistributedDual : public testing::TestWithParam<Method> {
 protected:
  std::unique_ptr<Learner> start(const Task& task, Workers& workers) const {
    return configured(GetParam().learner, options())->start(task, workers);
  }
  Options options() const {
    Options all{{"C", "0.5"}, {"epochs", GetParam().epochs}, {"round", "8"}};
    if (GetParam().learner == "bcfw")
      all.push_back({"average", "false"});
    else
      all.push_back({"tolerance", "1e-6"});
    return all;
  }
  double optimum(const EnumeratedTask& task) const {
    return dense_optimum(task, {.loss = GetParam().loss, .C = 0.5}).value;
  }

  RankScope scope_{solitary(), kShards};
};

INSTANTIATE_TEST_SUITE_P(Table, EveryDistributedDual,
                         testing::Values(Method{"dcd", Loss::kL2, "1500", 1e-4},
                                         Method{"dcd-light", Loss::kL2, "3000", 5e-4},
                                         Method{"ocp", Loss::kL1, "2000", 1e-3},
                                         Method{"bcfw", Loss::kL1, "5000", 3e-3}),
                         [](const auto& info) {
                           std::string name = info.param.learner;
                           std::erase(name, '-');
                           return name;
                         });

std::vector<std::uint32_t> in_order(const Task& task) {
  std::vector<std::uint32_t> order(task.size());
  std::iota(order.begin(), order.end(), 0u);
  return order;
}

TEST_P(EveryDistributedDual, EndsAtTheOptimumOfTheDenseSolver) {
  for (const auto& [name, task] : small_problems(1)) {
    SCOPED_TRACE(name);
    const double best = optimum(task);
    const TrainResult result = train_quietly(
        task, {.learner = GetParam().learner, .options = options(), .objective = ObjectiveWhen::kEnd});
    const Objective end = result.history.back().objective.value();
    EXPECT_NEAR(end.primal, best, GetParam().tolerance * best);
    EXPECT_NEAR(end.dual.value(), best, GetParam().tolerance * best);
  }
}

TEST_P(EveryDistributedDual, NeverFallsAndNeverPassesTheOptimum) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      const double best = optimum(task);
      const double rounding = 1e-6 * best;
      Workers workers(2);
      const auto learner = start(task, workers);
      Random random(seed);
      double before = 0.0;
      for (int pass = 0; pass < 40; ++pass) {
        run_pass(*learner, in_order(task), random);
        const double dual = learner->dual().value();
        EXPECT_GE(dual, before - rounding) << "pass " << pass;
        EXPECT_LE(dual, best + rounding) << "pass " << pass;
        before = dual;
      }
      EXPECT_GT(before, 0.3 * best);
    }
  }
}

// A shard decodes its first example with the common w, which rounds change step by
// step, and model() computes from alpha.
TEST_P(EveryDistributedDual, DecodesWithTheWeightsOfItsDualVariables) {
  for (const auto& [name, inner] : small_problems(2)) {
    SCOPED_TRACE(name);
    Weights model;  // once known
    double margin = 0.0;
    const WrappedTask task(inner, [&](std::size_t, Cut& cut) {
      if (model.size() == 0) return;
      margin = std::abs(cut.margin);
      EXPECT_NEAR(cut.margin, dot(model, cut.psi), 1e-5);
    });
    Workers workers(1);
    Options chosen = options();
    if (GetParam().learner == "dcd") chosen.push_back({"inner_passes", "0"});  // none before the decode
    const auto learner = configured(GetParam().learner, chosen)->start(task, workers);
    Random random(2);
    for (int pass = 0; pass < 14; ++pass) run_pass(*learner, in_order(task), random);  // w is refreshed at 16
    model = learner->model();
    run_pass(*learner, {0}, random);
    EXPECT_GT(margin, 0.0);
  }
}

// One example per shard: the shards' blocks are all of D but for its products of
// different examples, and more shards than examples leave some idle.
TEST_P(EveryDistributedDual, LearnsFromFewerExamplesThanShards) {
  const EnumeratedTask task = random_multiclass(3, 3, 3, 8);
  const double best = optimum(task);
  const TrainResult result = train_quietly(
      task, {.learner = GetParam().learner, .options = options(), .objective = ObjectiveWhen::kEnd});
  EXPECT_NEAR(result.history.back().objective->primal, best, GetParam().tolerance * best);
}

// Shards see sooner what the others did.
TEST_P(EveryDistributedDual, ShorterRoundsNeedFewerEpochs) {
  const EnumeratedTask task = random_multiclass(5, 200, 4, 12);
  const auto dual_after_passes = [&](const char* round) {
    Options chosen = options();
    chosen.push_back({"round", round});
    Workers workers(1);
    const auto learner = configured(GetParam().learner, chosen)->start(task, workers);
    Random random(1);
    for (int pass = 0; pass < 5; ++pass) run_pass(*learner, in_order(task), random);
    return learner->dual().value();
  };
  const double best = optimum(task);
  EXPECT_LT(best - dual_after_passes("8"), 0.8 * (best - dual_after_passes("200")));
}

TEST_P(EveryDistributedDual, AnInterruptedPassLeavesAFeasibleDual) {
  const EnumeratedTask task = random_multiclass(3, 40, 3, 8);
  const double best = optimum(task);
  Workers workers(1);
  const auto learner = start(task, workers);
  Random random(1);
  for (const std::int64_t examples : {7, 23}) {
    InterruptAfter watcher(examples);
    const std::vector<std::uint32_t> order = in_order(task);
    Pass pass{.order = order, .random = random, .watcher = watcher};
    learner->run_pass(pass);
    EXPECT_LE(pass.examples, examples + static_cast<std::int64_t>(kShards));  // one each may have begun
    EXPECT_LE(learner->dual().value(), best * (1.0 + 1e-6));
    EXPECT_GT(learner->dual().value(), 0.0);
  }
}

}  // namespace
}  // namespace hinge::test
