#include "hinge/learn/train.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/learn/mira.h"
#include "tests/support/dense_qp.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

TEST(Train, NoExamplesIsAnErrorThatSaysSo) {
  const EnumeratedTask task({}, 3);
  EXPECT_THROW(train_quietly(task, {.learner = "perceptron"}), InputError);
}

TEST(Train, EveryEpochSeesEveryExampleOnceInANewOrder) {
  const EnumeratedTask inner = random_multiclass(1, 15, 3, 4);
  std::vector<std::size_t> seen;
  const WrappedTask task(inner, [&](std::size_t i, Cut&) { seen.push_back(i); });
  train_quietly(task, {.learner = "perceptron", .options = {{"epochs", "3"}}});
  ASSERT_EQ(seen.size(), 45u);
  std::vector<std::vector<std::size_t>> epochs;
  for (std::size_t e = 0; e < 3; ++e) epochs.emplace_back(seen.begin() + 15 * e, seen.begin() + 15 * (e + 1));
  EXPECT_NE(epochs[0], epochs[1]);
  EXPECT_NE(epochs[1], epochs[2]);
  for (std::vector<std::size_t>& epoch : epochs) {
    std::sort(epoch.begin(), epoch.end());
    for (std::size_t i = 0; i < 15; ++i) EXPECT_EQ(epoch[i], i);
  }
}

TEST(Train, TheRefereeIsAskedWhenTheSettingsSay) {
  const EnumeratedTask task = random_multiclass(1, 10, 3, 4);
  const auto measured = [&](ObjectiveWhen when) {
    std::string epochs;
    const TrainResult result =
        train_quietly(task, {.learner = "dcd", .options = {{"epochs", "3"}}, .objective = when});
    for (const EpochReport& report : result.history) epochs += report.objective ? '+' : '-';
    return epochs;
  };
  EXPECT_EQ(measured(ObjectiveWhen::kNever), "---");
  EXPECT_EQ(measured(ObjectiveWhen::kEnd), "--+");
  EXPECT_EQ(measured(ObjectiveWhen::kEveryEpoch), "+++");
}

TEST(Train, TheReportedObjectiveIsThatOfTheWeightsReturned) {
  for (const auto& [name, task] : small_problems(2)) {
    for (const std::string learner : {"dcd", "ops"}) {
      SCOPED_TRACE(name + ", " + learner);
      const TrainResult result = train_quietly(task, {.learner = learner,
                                                      .options = {{"epochs", "4"}, {"C", "0.5"}},
                                                      .objective = ObjectiveWhen::kEveryEpoch});
      const Objective& end = result.history.back().objective.value();
      const ObjectiveKind kind{.loss = learner == "dcd" ? Loss::kL2 : Loss::kL1, .C = 0.5};
      EXPECT_NEAR(end.primal, dense_primal(task, kind, in_double(result.weights)), 1e-9 * end.primal);
      EXPECT_EQ(end.dual.has_value(), learner == "dcd");
    }
  }
}

TEST(Train, LookingAtTheObjectiveDoesNotChangeTheTraining) {
  const EnumeratedTask task = random_chains(7, 10, 3, 3);
  for (const LearnerRow& row : learner_table()) {
    SCOPED_TRACE(row.name);
    TrainingRun run{.learner = std::string(row.name), .options = {{"epochs", "4"}}};
    const Weights unseen = train_quietly(task, run).weights;
    run.objective = ObjectiveWhen::kEveryEpoch;
    const Weights watched = train_quietly(task, run).weights;
    for (std::size_t d = 0; d < task.dimension(); ++d) EXPECT_EQ(unseen[d], watched[d]);
  }
}

TEST(Train, ARefereeCJudgesALearnerWithoutAnObjective) {
  const EnumeratedTask task = random_multiclass(3, 10, 3, 4);
  const auto learner = make_mira(task, {});
  Workers workers(1);
  Quiet observer;
  const TrainResult result = train(task, *learner, {.epochs = 2, .referee_C = 0.25}, workers, observer);
  const Objective& end = result.history.back().objective.value();
  EXPECT_NEAR(end.primal, dense_primal(task, {.loss = Loss::kL1, .C = 0.25}, in_double(result.weights)),
              1e-9 * end.primal);
}

TEST(Train, DevelopmentScoresAreOfTheModelOfEachEpoch) {
  const EnumeratedTask task = random_multiclass(3, 10, 3, 4);
  const auto choice = configured("dcd", {{"epochs", "3"}});
  Workers workers(1);
  const auto learner = choice->start(task, workers);
  Quiet observer;
  std::vector<double> norms;
  const TrainResult result = train(task, *learner,
                                   {.epochs = 3,
                                    .dev_scores =
                                        [&](const Weights& w) {
                                          norms.push_back(squared_norm(w));
                                          return Scores{{"norm", norms.back()}};
                                        }},
                                   workers, observer);
  ASSERT_EQ(norms.size(), 3u);
  for (std::size_t e = 0; e < 3; ++e) EXPECT_EQ(result.history[e].dev.at(0).second, norms[e]);
  EXPECT_EQ(norms.back(), squared_norm(result.weights));
}

}  // namespace
}  // namespace hinge::test
