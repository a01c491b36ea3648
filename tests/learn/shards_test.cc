// Learners on several ranks: the same bytes at any number of them, and the optimum of
// one machine. Ranks are threads here; a new row with shards is tested without any change.
#include "hinge/core/shards.h"

#include <gtest/gtest.h>

#include <cstring>

#include "hinge/core/error.h"
#include "tests/support/enumerated_task.h"
#include "tests/support/thread_communicator.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

class EveryLearnerWithShards : public testing::TestWithParam<std::string> {
 protected:
  std::string learner() const { return GetParam(); }
};

std::vector<std::string> learners_with_shards() {
  std::vector<std::string> names;
  for (const LearnerRow& row : learner_table()) {
    if (!row.shards.empty()) names.emplace_back(row.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLearnerWithShards, testing::ValuesIn(learners_with_shards()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

// Everything that a run reports except times.
struct Outcome {
  std::vector<float> weights;
  std::vector<double> numbers;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(const TrainResult& result) {
  Outcome outcome{{result.weights.span().begin(), result.weights.span().end()}, {}};
  for (const EpochReport& epoch : result.history) {
    outcome.numbers.insert(outcome.numbers.end(),
                           {static_cast<double>(epoch.examples), static_cast<double>(epoch.updates),
                            epoch.loss, epoch.violation, static_cast<double>(epoch.stop)});
    if (!epoch.objective) continue;
    outcome.numbers.push_back(epoch.objective->primal);
    outcome.numbers.push_back(epoch.objective->dual.value_or(0.0));
  }
  return outcome;
}

struct ShardedRun {
  std::string learner;
  std::int64_t epochs = 4;
  int threads = 1;
  std::string checkpoint = {};
  const CheckpointFile* resume = nullptr;
};

// A pass over a small problem is one round unless rounds are short.
Options several_rounds(const std::string& learner) {
  return choose_learner(learner)->options().has("round") ? Options{{"round", "16"}} : Options{};
}

Outcome train_on(int ranks, const Task& task, const ShardedRun& run) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
  as_ranks(ranks, [&](Communicator& communicator) {
    const auto choice = configured(run.learner, several_rounds(run.learner));
    Workers workers(run.threads);
    const auto learner = choice->start(task, workers);
    Quiet observer;
    TrainSettings settings{.epochs = run.epochs, .seed = 5, .objective = ObjectiveWhen::kEveryEpoch};
    settings.referee_C = 0.1;
    settings.checkpoint = run.checkpoint;
    settings.resume = run.resume;
    outcomes[static_cast<std::size_t>(communicator.rank())] =
        outcome_of(train(task, *learner, settings, workers, observer));
  });
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome, outcomes[0]);
  return outcomes[0];
}

TEST_P(EveryLearnerWithShards, GivesTheSameBytesAtAnyNumberOfRanksAndThreads) {
  const EnumeratedTask multiclass = random_multiclass(3, 60, 4, 30);
  const EnumeratedTask chains = random_chains(7, 21, 3, 3);
  for (const EnumeratedTask* task : {&multiclass, &chains}) {
    const Outcome alone = train_on(1, *task, {.learner = learner()});
    for (const int ranks : {2, 3, 4, 8}) {
      const ShardedRun run{.learner = learner(), .threads = ranks == 3 ? 2 : 1};
      EXPECT_EQ(train_on(ranks, *task, run), alone) << ranks << " ranks";
    }
  }
}

TEST_P(EveryLearnerWithShards, ResumesOnAnotherNumberOfRanks) {
  const EnumeratedTask task = random_multiclass(3, 60, 4, 30);
  const Outcome straight = train_on(1, task, {.learner = learner()});
  const std::string path = testing::TempDir() + "sharded_" + learner();
  train_on(4, task, {.learner = learner(), .epochs = 2, .checkpoint = path});
  const CheckpointFile file(path);
  for (const int ranks : {1, 3}) {
    EXPECT_EQ(train_on(ranks, task, {.learner = learner(), .resume = &file}), straight) << ranks << " ranks";
  }
}

TEST_P(EveryLearnerWithShards, ReportsAnErrorOfOneRankOnAll) {
  const EnumeratedTask inner = random_multiclass(3, 30, 4, 6);
  const auto break_one = [](std::size_t i) {
    if (i == 25) fail<InputError>("example 25 is bad");
  };
  const WrappedTask cuts(inner, [&](std::size_t i, Cut&) { break_one(i); });
  const WrappedTask expectations(inner, [&](std::size_t i, Expectation&) { break_one(i); });
  const Task& task = asks_for<MarginalTask>(find_learner(learner())) ? static_cast<const Task&>(expectations) : cuts;
  try {
    train_on(3, task, {.learner = learner()});
    FAIL() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()), "example 25 is bad");
  }
}

TEST_P(EveryLearnerWithShards, AnInterruptOnOneRankEndsTheEpochOnAll) {
  const EnumeratedTask task = random_multiclass(3, 200, 4, 6);
  as_ranks(2, [&](Communicator& communicator) {
    const auto choice = configured(learner(), {});
    Workers workers(1);
    const auto started = choice->start(task, workers);
    InterruptAfter interrupt(communicator.rank() == 1 ? 1 : 1'000'000);
    const TrainResult result =
        train(task, *started, {.epochs = 9, .objective = ObjectiveWhen::kNever}, workers, interrupt);
    EXPECT_EQ(result.history.size(), 1u);
    EXPECT_EQ(result.history.back().stop, Stop::kInterrupted);
  });
}

TEST(LearnersWithoutShards, AreRefusedWithTheNamesOfThoseThatHaveThem) {
  const EnumeratedTask task = random_multiclass(3, 30, 4, 6);
  const RankScope scope(solitary(), 4);
  Workers workers(1);
  for (const LearnerRow& row : learner_table()) {
    if (!row.shards.empty() || !row.suits(task)) continue;
    try {
      configured(std::string(row.name), {})->start(task, workers);
      FAIL() << row.name << " was not refused";
    } catch (const OptionError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with(
          std::string(row.name) + " cannot learn from data in 4 shards; use one shard, or a learner that can: "))
          << error.what();
      EXPECT_NE(std::string_view(error.what()).find("crf"), std::string_view::npos);
    }
  }
}

TEST(BatchEgd, ReachesTheOptimumOfTheOnlineForm) {
  const EnumeratedTask task = random_multiclass(3, 30, 3, 5);
  const TrainingRun run{.learner = "egd",
                        .options = {{"C", "0.5"}, {"epochs", "3000"}},
                        .objective = ObjectiveWhen::kEnd};
  const double online = train_quietly(task, run).history.back().objective->primal;
  const RankScope scope(solitary(), 4);
  const EpochReport batch = train_quietly(task, run).history.back();
  EXPECT_NEAR(batch.objective->primal, online, 3e-3 * online);
  EXPECT_LE(*batch.objective->dual, batch.objective->primal + 1e-6);
}

}  // namespace
}  // namespace hinge::test
