#include "hinge/learn/driver/train.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "hinge/core/error.h"
#include "hinge/learn/mira.h"
#include "tests/support/chain_world.h"
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
  const EnumeratedTask lists = random_chains(7, 10, 3, 3);
  const ChainWorld world({.name = "chains"}, 7, 10);
  for (const LearnerRow& row : learner_table()) {
    SCOPED_TRACE(row.name);
    const Task& task = asks_for<MarginalTask>(row) ? static_cast<const Task&>(world.task()) : lists;
    TrainingRun run{.learner = std::string(row.name), .options = {{"epochs", "4"}}};
    const Weights unseen = train_quietly(task, run).weights;
    run.objective = ObjectiveWhen::kEveryEpoch;
    const Weights watched = train_quietly(task, run).weights;
    for (std::size_t d = 0; d < task.dimension(); ++d) EXPECT_EQ(unseen[d], watched[d]);
  }
}

TEST(Train, ARefereeCJudgesALearnerWithoutAnObjective) {
  const EnumeratedTask task = random_multiclass(3, 10, 3, 4);
  Workers workers(1);
  const auto learner = make_mira(task, {}, workers);
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

// Trains a learner given by name with its defaults except these.
TrainResult train_with(const Task& task, const std::string& name, const TrainSettings& settings,
                       Observer& observer, const Options& options = {}) {
  Workers workers(1);
  const auto learner = configured(name, options)->start(task, workers);
  return train(task, *learner, settings, workers, observer);
}

TrainResult train_with(const Task& task, const std::string& name, const TrainSettings& settings,
                       const Options& options = {}) {
  Quiet observer;
  return train_with(task, name, settings, observer, options);
}

void expect_same(const Weights& found, const Weights& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t id = 0; id < expected.size(); ++id) ASSERT_EQ(found[id], expected[id]) << "weight " << id;
}

class InterruptInEpoch final : public Quiet {
 public:
  InterruptInEpoch(std::int64_t epoch, std::int64_t examples) : epoch_(epoch), examples_(examples) {}
  void epoch_done(const EpochReport& report) override { done_ = report.epoch; }
  bool interrupts(std::int64_t examples_done) override {
    return done_ + 1 == epoch_ && examples_done >= examples_;
  }

 private:
  std::int64_t epoch_;
  std::int64_t examples_;
  std::int64_t done_ = 0;
};

TEST(Train, TheTimeBudgetEndsAPassWhereItStandsWithAUsableModel) {
  const EnumeratedTask inner = random_multiclass(1, 15, 3, 4);
  for (const std::string name : {"perceptron", "dcd", "ops"}) {
    SCOPED_TRACE(name);
    std::size_t decoded = 0;
    const WrappedTask task(inner, [&](std::size_t, Cut&) {
      if (++decoded == 20) std::this_thread::sleep_for(std::chrono::milliseconds(600));
    });
    const TrainResult result =
        train_with(task, name, {.epochs = 100, .objective = ObjectiveWhen::kNever, .time_budget = 0.5});
    ASSERT_EQ(result.history.size(), 2u);
    EXPECT_EQ(result.history[0].stop, Stop::kNot);
    EXPECT_EQ(result.history[1].stop, Stop::kTime);
    EXPECT_EQ(result.history[1].examples, 5);
    EXPECT_GE(result.history[1].elapsed_seconds, 0.5);
    EXPECT_EQ(result.chosen, 1u);
    InterruptInEpoch observer(2, 5);
    expect_same(result.weights, train_with(inner, name, {.epochs = 100}, observer).weights);
  }
}

TEST(Train, ABudgetThatIsGoneBeforeTheFirstExampleStillGivesAModel) {
  const EnumeratedTask task = random_multiclass(1, 15, 3, 4);
  for (const LearnerRow& row : learner_table()) {
    if (!row.suits(task)) continue;
    SCOPED_TRACE(row.name);
    const TrainResult result = train_with(task, std::string(row.name), {.epochs = 100, .time_budget = 1e-9});
    ASSERT_EQ(result.history.size(), 1u);
    EXPECT_EQ(result.history[0].stop, Stop::kTime);
    ASSERT_EQ(result.weights.size(), task.dimension());
    if (row.name == "egd") continue;  // starts at uniform distributions, not at zero weights
    EXPECT_EQ(squared_norm(result.weights), 0.0);
  }
}

TEST(Train, StopsAtTheFirstEpochWhoseGapIsSmallEnough) {
  const EnumeratedTask task = random_multiclass(5, 20, 3, 4);
  for (const std::string name : {"dcd", "bcfw", "ocp", "one-slack", "smo"}) {
    SCOPED_TRACE(name);
    constexpr std::int64_t kEpochs = 12;
    const Options options{{"C", "0.5"}};
    const TrainResult whole =
        train_with(task, name, {.epochs = kEpochs, .objective = ObjectiveWhen::kEveryEpoch}, options);
    std::vector<double> gaps;  // relative
    for (const EpochReport& report : whole.history)
      gaps.push_back(*report.objective->gap() / report.objective->primal);
    for (const double wanted : gaps) {
      const double limit = wanted * (1.0 + 1e-9);
      const auto first = static_cast<std::size_t>(
          std::ranges::find_if(gaps, [limit](double gap) { return gap <= limit; }) - gaps.begin());
      const TrainResult result = train_with(
          task, name, {.epochs = kEpochs, .objective = ObjectiveWhen::kNever, .stop_gap = limit}, options);
      ASSERT_EQ(result.history.size(), first + 1) << "gap " << limit;
      EXPECT_EQ(result.chosen, first);
      const bool last = first + 1 == whole.history.size();
      EXPECT_EQ(result.history.back().stop, last ? whole.history.back().stop : Stop::kGap);
      const auto epochs = static_cast<std::int64_t>(first + 1);
      expect_same(result.weights, train_with(task, name, {.epochs = epochs}, options).weights);
    }
    const double never = *std::ranges::min_element(gaps) * 0.5 - 1.0;
    EXPECT_EQ(train_with(task, name, {.epochs = kEpochs, .stop_gap = never}, options).history.size(),
              whole.history.size());
  }
}

TEST(Train, AGapNeedsALearnerWithADual) {
  const EnumeratedTask task = random_multiclass(5, 10, 3, 4);
  for (const std::string name : {"perceptron", "mira", "ops", "sgd", "smd"})
    EXPECT_THROW(train_with(task, name, {.epochs = 2, .stop_gap = 0.1}), OptionError) << name;
}

// Predefined scores, one per epoch.
auto scripted(const std::vector<double>& scores, std::size_t& epoch) {
  return [&](const Weights&) { return Scores{{"scripted", scores.at(epoch++)}, {"other", 100.0 - epoch}}; };
}

struct Script {
  std::vector<double> scores;
  std::int64_t patience;
  std::size_t ends;    // epochs
  std::size_t chosen;  // from 0
  Stop stop;
};

TEST(Train, PatienceKeepsTheWeightsOfTheBestEpoch) {
  const std::vector<Script> scripts = {
      {{1, 3, 2, 2, 2, 9}, 3, 5, 1, Stop::kNoBetter},
      {{1, 3, 3, 3, 3, 9}, 3, 5, 1, Stop::kNoBetter},      // equal is not better
      {{1, 3, 2, 2, 4, 2, 2, 2}, 3, 8, 4, Stop::kEpochs},  // the last epoch takes precedence over patience
      {{1, 2, 3, 4, 5, 6, 7, 8}, 1, 8, 7, Stop::kEpochs},
      {{5, 4, 3}, 1, 2, 0, Stop::kNoBetter},
      {{5, 4, 3, 2, 1, 0, -1, -2}, 9, 8, 0, Stop::kEpochs},
      {{-5, -5, -4, -4, -4}, 2, 5, 2, Stop::kNoBetter},
      {{0, 0, 0}, 2, 3, 0, Stop::kNoBetter},
      {{1, 2, 3, 2, 4, 4, 5, 5}, 2, 8, 6, Stop::kEpochs},
  };
  const EnumeratedTask task = random_multiclass(3, 10, 3, 4);
  for (const std::string name : {"perceptron", "dcd", "ops"}) {
    for (std::size_t s = 0; s < scripts.size(); ++s) {
      const Script& script = scripts[s];
      SCOPED_TRACE(name + ", script " + std::to_string(s));
      std::size_t epoch = 0;
      const TrainResult result = train_with(
          task, name,
          {.epochs = 8, .dev_scores = scripted(script.scores, epoch), .patience = script.patience});
      ASSERT_EQ(result.history.size(), script.ends);
      EXPECT_EQ(result.history.back().stop, script.stop);
      EXPECT_EQ(result.chosen, script.chosen);
      double best = -1e300;
      for (std::size_t e = 0; e < script.ends; ++e) {
        EXPECT_EQ(result.history[e].epoch, static_cast<std::int64_t>(e) + 1);
        EXPECT_EQ(result.history[e].dev.at(0).second, script.scores[e]);
        EXPECT_EQ(result.history[e].best, script.scores[e] > best) << e;
        best = std::max(best, script.scores[e]);
      }
      const auto epochs = static_cast<std::int64_t>(script.chosen + 1);
      expect_same(result.weights, train_with(task, name, {.epochs = epochs}).weights);
    }
  }
}

TEST(Train, WithoutPatienceTheLastEpochIsChosenWhateverTheScores) {
  const EnumeratedTask task = random_multiclass(3, 10, 3, 4);
  const std::vector<double> scores{3, 1, 2};
  std::size_t epoch = 0;
  const TrainResult result = train_with(task, "dcd", {.epochs = 3, .dev_scores = scripted(scores, epoch)});
  EXPECT_EQ(result.chosen, 2u);
  EXPECT_TRUE(result.history[0].best);
  EXPECT_FALSE(result.history[2].best);
  expect_same(result.weights, train_with(task, "dcd", {.epochs = 3}).weights);
}

TEST(Train, PatienceNeedsDevelopmentScores) {
  const EnumeratedTask task = random_multiclass(3, 10, 3, 4);
  EXPECT_THROW(train_with(task, "dcd", {.epochs = 3, .patience = 1}), OptionError);
}

TEST(Train, TheObjectiveAtTheEndIsMeasuredHoweverTrainingEnds) {
  const EnumeratedTask task = random_multiclass(3, 10, 3, 4);
  const std::vector<double> scores{3, 2, 1, 0};
  std::size_t epoch = 0;
  const TrainResult result =
      train_with(task, "dcd", {.epochs = 4, .dev_scores = scripted(scores, epoch), .patience = 2});
  ASSERT_EQ(result.history.size(), 3u);
  EXPECT_FALSE(result.history[1].objective);
  ASSERT_TRUE(result.history[2].objective);
  EXPECT_TRUE(result.history[2].objective->dual);
  const TrainResult late = train_with(task, "dcd", {.epochs = 4, .time_budget = 1e-9});
  EXPECT_TRUE(late.history.back().objective);
}

TEST(Train, ALearnerThatHasConvergedEndsTraining) {
  const EnumeratedTask task = separable_multiclass(3, 12, 3, 4);
  for (const std::string name : {"one-slack", "cutting-plane", "cpd"}) {
    SCOPED_TRACE(name);
    const TrainResult result = train_with(task, name, {.epochs = 1000});
    ASSERT_LT(result.history.size(), 1000u);
    EXPECT_EQ(result.history.back().stop, Stop::kConverged);
    for (std::size_t e = 0; e + 1 < result.history.size(); ++e) EXPECT_EQ(result.history[e].stop, Stop::kNot);
    EXPECT_EQ(result.chosen, result.history.size() - 1);
    const auto epochs = static_cast<std::int64_t>(result.history.size());
    expect_same(result.weights, train_with(task, name, {.epochs = epochs}).weights);
  }
}

}  // namespace
}  // namespace hinge::test
