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

// Every example has a line of weights, perhaps with others: the first weight for gold, the second for its
// rival.
EnumeratedTask rare_features(std::uint32_t examples, std::uint32_t lines) {
  std::vector<std::vector<Candidate>> lists;
  for (std::uint32_t i = 0; i < examples; ++i) {
    const auto first = static_cast<FeatureId>((i * 7 % lines) * kLine);
    lists.emplace_back();
    for (const FeatureId k : {0u, 1u}) {
      lists.back().push_back({.features = {}, .loss = static_cast<double>(k)});
      lists.back().back().features.add(first + k, 1.0f);
    }
  }
  return {std::move(lists), lines * kLine};
}

// The examples of a shard that it learns in a round, in their order.
std::vector<std::uint32_t> piece_of(const std::vector<std::uint32_t>& order, std::size_t shard,
                                    std::size_t shards, std::size_t round, std::size_t rounds) {
  std::vector<std::uint32_t> mine;
  for (const std::uint32_t i : order) {
    if (i >= share_begin(order.size(), shard, shards) && i < share_begin(order.size(), shard + 1, shards))
      mine.push_back(i);
  }
  return {mine.begin() + static_cast<std::ptrdiff_t>(share_begin(mine.size(), round, rounds)),
          mine.begin() + static_cast<std::ptrdiff_t>(share_begin(mine.size(), round + 1, rounds))};
}

class EveryMixingLearner : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Table, EveryMixingLearner, testing::Values("perceptron", "mira"));

// What these examples, learned alone from `start`, make of it.
Weights learned_alone(const std::string& learner, const Task& task, const Weights& start,
                      const std::vector<std::uint32_t>& examples) {
  Workers workers(1);
  const RankScope one_shard(solitary(), 1);
  const auto alone = configured(learner, {})->start(task, workers);
  alone->start_from(start);
  Random random(99);  // these learners use no random numbers
  run_pass(*alone, examples, random);
  return alone->model();
}

bool same_line(const Weights& a, const Weights& b, std::size_t line) {
  const std::size_t first = line * kLine;
  const std::size_t count = std::min(a.size() - first, kLine);
  return std::equal(a.data() + first, a.data() + first + count, b.data() + first);
}

// Of every line of weights, the mean over the models that differ from `start` there.
std::vector<double> mean_of_changed(const Weights& start, const std::vector<Weights>& models) {
  std::vector<double> mean(start.size());
  for (std::size_t d = 0; d < start.size(); ++d) {
    double sum = 0.0;
    int changed = 0;
    for (const Weights& w : models) {
      if (same_line(w, start, d / kLine)) continue;
      sum += w[d];
      ++changed;
    }
    mean[d] = changed > 0 ? sum / changed : start[d];
  }
  return mean;
}

// Few examples of many features: shards share some lines, but not all.
std::vector<NamedTask> problems() {
  std::vector<NamedTask> all = small_problems(4);
  all.push_back({"rare features", rare_features(30, 20)});
  return all;
}

TEST_P(EveryMixingLearner, AMixIsTheMeanOfTheShardsThatChangedALine) {
  const std::size_t shards = 3, rounds = 2;
  for (const auto& [name, task] : problems()) {
    SCOPED_TRACE(name);
    Workers workers(2);
    const RankScope scope(solitary(), shards);
    const auto mixed = configured(GetParam(), {{"mixes", "2"}})->start(task, workers);
    std::vector<std::uint32_t> order(task.size());
    std::iota(order.begin(), order.end(), 0u);
    Random random(4);
    Weights mean(task.dimension());
    for (int pass = 0; pass < 4; ++pass) {
      random.shuffle(std::span(order));
      run_pass(*mixed, order, random);
      for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<Weights> models;
        for (std::size_t s = 0; s < shards; ++s)
          models.push_back(learned_alone(GetParam(), task, mean, piece_of(order, s, shards, round, rounds)));
        const std::vector<double> expected = mean_of_changed(mean, models);
        for (std::size_t d = 0; d < expected.size(); ++d) mean[d] = static_cast<float>(expected[d]);
      }
      const Weights found = mixed->model();
      for (std::size_t d = 0; d < found.size(); ++d)
        EXPECT_NEAR(found[d], mean[d], 2e-5 * (1.0 + std::abs(mean[d]))) << d;
      mean = found;
    }
  }
}

TEST_P(EveryMixingLearner, AFeatureOfOneShardIsLearnedAsWithoutShards) {
  const EnumeratedTask task = rare_features(4, 4);  // each example has a line of its own
  const auto weights = [&] {
    return train_quietly(task, {.learner = GetParam(), .options = {{"epochs", "1"}, {"average", "false"}}})
        .weights;
  };
  const Weights alone = weights();
  const RankScope scope(solitary(), 4);
  EXPECT_TRUE(same_bits(weights(), alone));
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
  const auto mixed = configured(GetParam(), {{"mixes", "1"}})->start(task, workers);
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
