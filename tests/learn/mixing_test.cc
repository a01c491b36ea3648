#include "hinge/learn/steps/mixing.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cstring>
#include <numeric>

#include "hinge/core/shards.h"
#include "hinge/learn/driver/checkpoint.h"
#include "tests/support/enumerated_task.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

bool same_bits(const Weights& a, const Weights& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

class EveryMixingLearner : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Table, EveryMixingLearner, testing::Values("perceptron", "mira"));

TEST_P(EveryMixingLearner, AMixOfShardsIsTheMeanOfLearnersOfTheirExamples) {
  const std::size_t shards = 3;
  for (const auto& [name, task] : small_problems(4)) {
    SCOPED_TRACE(name);
    Workers workers(2);
    const RankScope scope(solitary(), shards);
    const auto mixed = configured(GetParam(), {})->start(task, workers);
    std::vector<std::uint32_t> order(task.size());
    std::iota(order.begin(), order.end(), 0u);
    Random random(4);
    Weights mean(task.dimension());
    for (int pass = 0; pass < 4; ++pass) {
      random.shuffle(std::span(order));
      run_pass(*mixed, order, random);
      std::vector<double> sum(task.dimension(), 0.0);
      for (std::size_t s = 0; s < shards; ++s) {
        std::vector<std::uint32_t> part;
        for (const std::uint32_t i : order) {
          if (i >= share_begin(task.size(), s, shards) && i < share_begin(task.size(), s + 1, shards))
            part.push_back(i);
        }
        const RankScope one_shard(solitary(), 1);
        const auto alone = configured(GetParam(), {})->start(task, workers);
        alone->start_from(mean);
        Random other(99);  // these learners use no random numbers
        run_pass(*alone, part, other);
        const Weights result = alone->model();
        for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += result[d];
      }
      const Weights found = mixed->model();
      for (std::size_t d = 0; d < sum.size(); ++d) {
        EXPECT_NEAR(found[d], sum[d] / static_cast<double>(shards), 1e-6 * (1.0 + std::abs(sum[d])));
        mean[d] = found[d];
      }
    }
  }
}

TEST_P(EveryMixingLearner, ShardsGiveTheSameBitsWithAnyNumberOfThreads) {
  const tbb::global_control more_than_cores(tbb::global_control::max_allowed_parallelism, 4);
  const EnumeratedTask task = random_multiclass(3, 40, 4, 6);
  const RankScope scope(solitary(), 4);
  TrainingRun run{.learner = GetParam(), .options = {{"epochs", "5"}}};
  const Weights alone = train_quietly(task, run).weights;
  for (const int threads : {2, 3}) {
    run.threads = threads;
    EXPECT_TRUE(same_bits(train_quietly(task, run).weights, alone)) << threads;
  }
}

TEST_P(EveryMixingLearner, ShardsLearnWhatOneLearnerLearns) {
  const EnumeratedTask task = random_multiclass(3, 40, 3, 8);
  const auto loss_of = [&](const Options& options) {
    const Weights w = train_quietly(task, {.learner = GetParam(), .options = options}).weights;
    Scratch scratch;
    Cut cut;
    double loss = 0.0;
    for (std::size_t i = 0; i < task.size(); ++i) {
      task.most_violated(i, w, 0.0, scratch, cut);
      loss += cut.loss;
    }
    return loss;
  };
  const double loss_of_one = loss_of({{"epochs", "1"}});
  const RankScope scope(solitary(), 4);
  EXPECT_LE(loss_of({{"epochs", "20"}}), loss_of_one);
}

TEST_P(EveryMixingLearner, MoreShardsThanExamplesLeaveSomeIdle) {
  const EnumeratedTask task = random_multiclass(3, 3, 3, 8);
  const RankScope scope(solitary(), 7);
  const TrainResult result = train_quietly(task, {.learner = GetParam(), .options = {{"epochs", "2"}}});
  EXPECT_EQ(result.history[0].examples, 3);
  double norm = 0.0;
  for (std::size_t d = 0; d < result.weights.size(); ++d) norm += std::abs(result.weights[d]);
  EXPECT_GT(norm, 0.0);
}

TEST_P(EveryMixingLearner, AMixGoesOnToTheBitFromItsState) {
  const EnumeratedTask task = random_multiclass(3, 20, 4, 6);
  Workers workers(1);
  const RankScope scope(solitary(), 3);
  const auto choice = configured(GetParam(), {});
  const auto straight = choice->start(task, workers);
  const auto resumed = choice->start(task, workers);
  std::vector<std::uint32_t> order(task.size());
  std::iota(order.begin(), order.end(), 0u);
  Random random(1);
  run_pass(*straight, order, random);
  const std::string path = testing::TempDir() + "state_of_mixed_" + GetParam();
  write_checkpoint(path, {}, [&](State& state) { straight->visit(state); });
  CheckpointFile(path).read([&](State& state) { resumed->visit(state); });
  Random other = random;
  run_pass(*straight, order, random);
  run_pass(*resumed, order, other);
  EXPECT_TRUE(same_bits(straight->model(), resumed->model()));
}

TEST_P(EveryMixingLearner, AnInterruptedPassEndsInAllShards) {
  const EnumeratedTask task = random_multiclass(3, 400, 3, 8);
  Workers workers(1);
  const RankScope scope(solitary(), 4);
  const auto mixed = configured(GetParam(), {})->start(task, workers);
  std::vector<std::uint32_t> order(task.size());
  std::iota(order.begin(), order.end(), 0u);
  Random random(1);
  InterruptAfter watcher(40);
  Pass pass{.order = order, .random = random, .watcher = watcher};
  mixed->run_pass(pass);
  EXPECT_EQ(pass.examples, 40);  // all of the first shard; the others had not begun
}

}  // namespace
}  // namespace hinge::test
