// Interrupted and resumed training equals uninterrupted training.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <optional>

#include "hinge/core/error.h"
#include "tests/support/chain_world.h"
#include "tests/support/data.h"
#include "tests/support/enumerated_task.h"
#include "tests/support/full_disk.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

namespace fs = std::filesystem;

// Creates a new learner each time, as after a restart.
struct Experiment {
  const Task& task;
  std::string learner;
  Options options{};
  int threads = 1;

  TrainResult run(const TrainSettings& settings, Observer& observer) const {
    Workers workers(threads);
    const auto fresh = configured(learner, options)->start(task, workers);
    return train(task, *fresh, settings, workers, observer);
  }
  TrainResult run(const TrainSettings& settings) const {
    Quiet observer;
    return run(settings, observer);
  }
};

std::string bits(const Weights& w) {
  return {reinterpret_cast<const char*>(w.data()), w.size() * sizeof(float)};
}

// Compares everything except times and, if the runs differ in it, the requested
// number of epochs.
void expect_same(const TrainResult& found, const TrainResult& expected) {
  EXPECT_EQ(bits(found.weights), bits(expected.weights));
  EXPECT_EQ(found.chosen, expected.chosen);
  ASSERT_EQ(found.history.size(), expected.history.size());
  for (std::size_t e = 0; e < expected.history.size(); ++e) {
    SCOPED_TRACE("epoch " + std::to_string(e + 1));
    const EpochReport& a = found.history[e];
    const EpochReport& b = expected.history[e];
    EXPECT_EQ(a.epoch, b.epoch);
    EXPECT_EQ(a.examples, b.examples);
    EXPECT_EQ(a.updates, b.updates);
    EXPECT_EQ(a.loss, b.loss);
    EXPECT_EQ(a.violation, b.violation);
    EXPECT_EQ(a.dev, b.dev);
    EXPECT_EQ(a.best, b.best);
    EXPECT_EQ(a.stop, b.stop);
    ASSERT_EQ(a.objective.has_value(), b.objective.has_value());
    if (!a.objective) continue;
    EXPECT_EQ(a.objective->primal, b.objective->primal);
    EXPECT_EQ(a.objective->regularizer, b.objective->regularizer);
    EXPECT_EQ(a.objective->loss, b.objective->loss);
    EXPECT_EQ(a.objective->violated, b.objective->violated);
    EXPECT_EQ(a.objective->dual, b.objective->dual);
    EXPECT_EQ(a.objective->estimate, b.objective->estimate);
  }
}

// Interrupts in the middle of the epoch after `epochs`.
class InterruptAfterEpoch final : public Quiet {
 public:
  explicit InterruptAfterEpoch(std::int64_t epochs) : epochs_(epochs) {}
  void epoch_done(const EpochReport& report) override { done_ = report.epoch; }
  bool interrupts(std::int64_t examples_done) override { return done_ == epochs_ && examples_done >= 4; }

 private:
  std::int64_t epochs_;
  std::int64_t done_ = 0;
};

class Counting final : public Quiet {
 public:
  void epoch_done(const EpochReport&) override { ++epochs; }
  int epochs = 0;
};

// A score that goes up and down, so that the best epoch is not the last.
Scores wavering(const Weights& w) {
  return {{"wavering", 50.0 + 10.0 * std::sin(40.0 * squared_norm(w))}, {"norm", squared_norm(w)}};
}

class Resume : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path("checkpoint"); }

  // As if the program had been killed after `epochs` of settings.epochs.
  void run_until(const Experiment& experiment, TrainSettings settings, std::int64_t epochs) const {
    settings.checkpoint = path();
    InterruptAfterEpoch observer(epochs);
    experiment.run(settings, observer);
  }
  TrainResult resume(const Experiment& experiment, TrainSettings settings) const {
    const CheckpointFile file(path());
    settings.resume = &file;
    return experiment.run(settings);
  }

  // With up to two interruptions.
  void expect_exact(const Experiment& experiment, const TrainSettings& settings) const {
    const TrainResult straight = experiment.run(settings);
    run_until(experiment, settings, 3);
    expect_same(resume(experiment, settings), straight);
    TrainSettings again = settings;
    const CheckpointFile first(path());
    again.resume = &first;
    run_until(experiment, again, 5);
    expect_same(resume(experiment, settings), straight);
    // Extends a shorter finished run.
    TrainSettings few = settings;
    few.epochs = 2;
    few.checkpoint = path();
    experiment.run(few);
    expect_same(resume(experiment, settings), straight);
  }

  TemporaryFolder folder_;
};

// More epochs than 16, after which dual learners recompute their weights.
TrainSettings settings_of_all() {
  return {.epochs = 18, .seed = 7, .objective = ObjectiveWhen::kEveryEpoch, .dev_scores = wavering};
}

// Options with additional state that must be saved as well.
const std::vector<std::pair<std::string, Options>> kVariants = {
    {"perceptron", {{"average", "false"}}},
    {"mira", {{"k", "3"}}},
    {"mira", {{"average", "false"}}},
    {"mert", {{"directions", "3"}}},
    {"ops", {{"regularizer", "l1"}, {"C", "0.05"}}},
    {"ops", {{"average", "true"}}},
    {"ops", {{"average", "true"}, {"regularizer", "l1"}}},
    {"ops", {{"lazy", "false"}}},
    {"sgd", {{"average", "false"}}},
    {"smd", {{"average", "true"}}},
    {"dcd", {{"average", "true"}}},
    {"dcd-light", {{"average", "true"}}},
    {"ocp", {{"average", "true"}}},
    {"bcfw", {{"average", "true"}}},
    {"bcfw", {{"average", "false"}}},
    {"cutting-plane", {{"loss", "l2"}, {"epsilon", "0.0001"}}},
    {"one-slack", {{"epsilon", "0.0001"}, {"keep_idle", "2"}}},
    {"smo", {{"average", "true"}}},
    {"smo", {{"loss", "l2"}, {"shrink", "false"}, {"inner_passes", "0"}}},
    {"crf", {{"regularizer", "l1"}}},
    {"crf", {{"l1", "0.3"}}},
    {"crf", {{"memory", "2"}}},
    {"softmax-margin", {{"rule", "adadelta"}, {"average", "true"}}},
    {"softmax-margin", {{"rule", "adagrad"}, {"average", "true"}}},
    {"egd", {{"average", "true"}}},
};

TEST_F(Resume, EveryLearnerGoesOnToTheBit) {
  const EnumeratedTask many = random_multiclass(3, 14, 4, 300);
  const EnumeratedTask few = random_multiclass(3, 14, 4, 20);
  const ChainWorld world({.name = "chains"}, 5, 14);
  for (const LearnerRow& row : learner_table()) {
    const Task* lists = asks_for<LineTask>(row) ? &few : &many;
    for (const Task* task : {lists, static_cast<const Task*>(&world.task())}) {
      if (!row.suits(*task)) continue;
      SCOPED_TRACE(::testing::Message() << row.name << (task == lists ? ", lists" : ", chains"));
      expect_exact({*task, std::string(row.name)}, settings_of_all());
    }
  }
}

TEST_F(Resume, WhateverTheOptionsOfTheLearner) {
  const EnumeratedTask lists = random_multiclass(4, 14, 3, 20);
  const ChainWorld world({.name = "chains", .edge_features = 3}, 6, 14);
  for (const auto& [name, options] : kVariants) {
    std::string trace = name;
    for (const auto& [option, value] : options) trace += " " + option + "=" + value;
    SCOPED_TRACE(trace);
    const Task& task =
        asks_for<MarginalTask>(find_learner(name)) ? static_cast<const Task&>(world.task()) : lists;
    expect_exact({task, name, options}, settings_of_all());
  }
}

TEST_F(Resume, WithSeveralThreads) {
  const ChainWorld world({.name = "chains", .edge_features = 3}, 8, 14);
  for (const std::string name : {"crf", "one-slack", "cpd", "extragradient", "dcd", "ops", "smo"}) {
    SCOPED_TRACE(name);
    expect_exact({world.task(), name, {}, 3}, settings_of_all());
  }
  expect_exact({world.task(), "crf", {{"l1", "0.3"}}, 3}, settings_of_all());
}

TEST_F(Resume, WithThePatienceAndTheBestWeightsOfBefore) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  for (const LearnerRow& row : learner_table()) {
    if (!row.suits(task)) continue;
    for (const std::int64_t patience : {2, 4, 100}) {
      SCOPED_TRACE(::testing::Message() << row.name << ", patience " << patience);
      TrainSettings settings = settings_of_all();
      settings.patience = patience;
      expect_exact({task, std::string(row.name)}, settings);
    }
  }
}

// The first epoch is by far the best.
TEST_F(Resume, TheBestWeightsMayBeOlderThanTheCheckpoint) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "dcd"};
  int asked = 0;
  TrainSettings settings{.epochs = 10,
                         .objective = ObjectiveWhen::kNever,
                         .dev_scores =
                             [&](const Weights&) {
                               return Scores{{"falling", 0.0 - asked++}};
                             },
                         .patience = 6};
  run_until(experiment, settings, 4);
  asked = 4;
  const TrainResult result = resume(experiment, settings);
  EXPECT_EQ(result.history.size(), 7u);
  EXPECT_EQ(result.history.back().stop, Stop::kNoBetter);
  EXPECT_EQ(result.chosen, 0u);
  EXPECT_EQ(bits(result.weights), bits(experiment.run({.epochs = 1}).weights));
}

TEST_F(Resume, PatienceThatIsNewCountsFromTheCheckpoint) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "dcd"};
  int asked = 0;
  TrainSettings settings{.epochs = 4,
                         .objective = ObjectiveWhen::kNever,
                         .dev_scores =
                             [&](const Weights&) {
                               return Scores{{"falling", 0.0 - asked++}};
                             },
                         .checkpoint = path()};
  const TrainResult before = experiment.run(settings);
  settings.checkpoint.clear();
  settings.patience = 2;
  const TrainResult finished = resume(experiment, settings);
  EXPECT_EQ(finished.chosen, 3u);
  EXPECT_EQ(bits(finished.weights), bits(before.weights));
  settings.epochs = 10;
  const TrainResult result = resume(experiment, settings);
  EXPECT_EQ(result.history.size(), 6u);
  EXPECT_EQ(result.chosen, 3u);
  EXPECT_EQ(bits(result.weights), bits(before.weights));
}

TEST_F(Resume, PatienceIsPossibleWhereNothingWasScoredBefore) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "dcd"};
  run_until(experiment, {.epochs = 8}, 3);
  int asked = 0;
  const TrainSettings settings{.epochs = 8,
                               .dev_scores =
                                   [&](const Weights&) {
                                     return Scores{{"falling", 0.0 - asked++}};
                                   },
                               .patience = 2};
  const TrainResult result = resume(experiment, settings);
  EXPECT_EQ(result.history.size(), 6u);
  EXPECT_EQ(result.chosen, 3u);
  EXPECT_EQ(bits(result.weights), bits(experiment.run({.epochs = 4}).weights));
}

TEST_F(Resume, AFinishedRunTrainsNoMore) {
  const EnumeratedTask task = separable_multiclass(3, 12, 3, 4);
  for (const auto& [name, patience] : std::vector<std::pair<std::string, std::optional<std::int64_t>>>{
           {"perceptron", std::nullopt}, {"dcd", std::nullopt}, {"one-slack", std::nullopt}, {"dcd", 2}}) {
    SCOPED_TRACE(name);
    const Experiment experiment{task, name};
    TrainSettings settings = settings_of_all();
    settings.patience = patience;
    settings.checkpoint = path();
    const TrainResult before = experiment.run(settings);
    const std::string bytes = TemporaryFolder::read(path());
    const CheckpointFile file(path());
    settings.resume = &file;
    Counting observer;
    expect_same(experiment.run(settings, observer), before);
    EXPECT_EQ(observer.epochs, 0);
    EXPECT_EQ(TemporaryFolder::read(path()), bytes);
  }
}

TEST_F(Resume, ASmallerGapOrMorePatienceGoesOn) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "dcd"};
  TrainSettings settings = settings_of_all();
  settings.epochs = 40;
  settings.stop_gap = 0.2;
  settings.checkpoint = path();
  const TrainResult before = experiment.run(settings);
  ASSERT_EQ(before.history.back().stop, Stop::kGap);
  settings.checkpoint.clear();
  expect_same(resume(experiment, settings), before);
  settings.stop_gap = 0.01;
  const TrainResult straight = experiment.run(settings);
  ASSERT_GT(straight.history.size(), before.history.size());
  expect_same(resume(experiment, settings), straight);

  settings.stop_gap.reset();
  settings.patience = 1;
  settings.checkpoint = path();
  ASSERT_EQ(experiment.run(settings).history.back().stop, Stop::kNoBetter);
  settings.checkpoint.clear();
  settings.patience = 3;
  expect_same(resume(experiment, settings), experiment.run(settings));
}

TEST_F(Resume, TimesAddUpOverTheRuns) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "dcd"};
  run_until(experiment, {.epochs = 8}, 3);
  const TrainResult result = resume(experiment, {.epochs = 8});
  for (std::size_t e = 1; e < result.history.size(); ++e) {
    EXPECT_GT(result.history[e].elapsed_seconds, result.history[e - 1].elapsed_seconds);
    EXPECT_GT(result.history[e].training_seconds, result.history[e - 1].training_seconds);
  }
  const double spent = result.history[2].elapsed_seconds;
  const TrainResult late = resume(experiment, {.epochs = 8, .time_budget = 0.5 * spent});
  EXPECT_EQ(late.history.back().stop, Stop::kTime);
  EXPECT_EQ(late.history.back().examples, 0);
  EXPECT_EQ(bits(late.weights), bits(experiment.run({.epochs = 3}).weights));
}

TEST_F(Resume, OtherDataOrAnotherLearnerIsRefused) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  run_until({task, "dcd"}, {.epochs = 8}, 3);
  for (const std::string other : {"perceptron", "ops", "sgd", "bcfw", "one-slack"})
    EXPECT_THROW(resume({task, other}, {.epochs = 8}), ModelError) << other;
  const EnumeratedTask more = random_multiclass(4, 15, 3, 20);
  EXPECT_THROW(resume({more, "dcd"}, {.epochs = 8}), ModelError);
}

// Records the checkpoint before and after each epoch may write it.
class Looking final : public Quiet {
 public:
  explicit Looking(std::string path) : path_(std::move(path)) {}
  void epoch_done(const EpochReport&) override { look(); }
  void look() { seen.push_back(fs::exists(path_) ? TemporaryFolder::read(path_) : ""); }
  std::vector<std::string> seen;

 private:
  std::string path_;
};

TEST_F(Resume, ACheckpointIsWrittenEveryFewEpochsAndAtTheEnd) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "mira"};
  for (const auto& [every, expected] : std::vector<std::pair<std::int64_t, std::vector<std::size_t>>>{
           {1, {0, 1, 2, 3, 4, 5, 6, 7}}, {3, {0, 0, 0, 3, 3, 3, 6, 7}}, {100, {0, 0, 0, 0, 0, 0, 0, 7}}}) {
    SCOPED_TRACE(every);
    fs::remove(path());
    Looking observer(path());
    experiment.run({.epochs = 7, .checkpoint = path(), .checkpoint_every = every}, observer);
    observer.look();
    ASSERT_EQ(observer.seen.size(), expected.size());
    for (std::size_t e = 0; e < expected.size(); ++e) {
      std::size_t epochs = 0;
      if (!observer.seen[e].empty()) {
        const CheckpointFile file(folder_.write("copy", observer.seen[e]));
        epochs = experiment.run({.epochs = 1, .resume = &file}).history.size();
      }
      EXPECT_EQ(epochs, expected[e]) << "when epoch " << e + 1 << " was done";
    }
  }
}

TEST_F(Resume, SavingCheckpointsDoesNotChangeTheTraining) {
  const EnumeratedTask lists = random_multiclass(4, 14, 3, 20);
  const ChainWorld world({.name = "chains"}, 6, 14);
  for (const LearnerRow& row : learner_table()) {
    SCOPED_TRACE(row.name);
    const Task& task = asks_for<MarginalTask>(row) ? static_cast<const Task&>(world.task()) : lists;
    const Experiment experiment{task, std::string(row.name)};
    expect_same(experiment.run({.epochs = 6, .checkpoint = path()}), experiment.run({.epochs = 6}));
  }
}

TEST_F(Resume, AnInterruptedPassLeavesTheCheckpointBeforeIt) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "dcd"};
  run_until(experiment, {.epochs = 8}, 3);
  EXPECT_EQ(resume(experiment, {.epochs = 1}).history.size(), 3u);
}

// The disk is full from after epoch `from` until after epoch `to`.
class DiskFullFor final : public Quiet {
 public:
  DiskFullFor(std::int64_t from, std::int64_t to) : from_(from), to_(to) {}
  void epoch_done(const EpochReport& report) override {
    if (report.epoch == from_) disk_.emplace();
    if (report.epoch == to_) disk_.reset();
  }
  void warn(const std::string& message) override { warnings.push_back(message); }
  std::vector<std::string> warnings;

 private:
  std::int64_t from_;
  std::int64_t to_;
  std::optional<FullDisk> disk_;
};

TEST_F(Resume, ACheckpointThatCannotBeWrittenIsAWarningAndTrainingGoesOn) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "dcd"};
  const TrainResult straight = experiment.run({.epochs = 6});
  {
    DiskFullFor disk(3, 100);
    expect_same(experiment.run({.epochs = 6, .checkpoint = path()}, disk), straight);
    ASSERT_EQ(disk.warnings.size(), 4u);
    EXPECT_NE(disk.warnings[0].find("epoch 3"), std::string::npos) << disk.warnings[0];
    EXPECT_NE(disk.warnings[0].find(path()), std::string::npos) << disk.warnings[0];
  }
  EXPECT_EQ(resume(experiment, {.epochs = 1}).history.size(), 2u);
  expect_same(resume(experiment, {.epochs = 6}), straight);
  DiskFullFor disk(3, 5);  // space is available again after two failures
  expect_same(experiment.run({.epochs = 6, .checkpoint = path()}, disk), straight);
  EXPECT_EQ(disk.warnings.size(), 2u);
  EXPECT_EQ(resume(experiment, {.epochs = 1}).history.size(), 6u);
}

TEST_F(Resume, AFolderThatIsNotThereIsAWarningForEveryCheckpoint) {
  const EnumeratedTask task = random_multiclass(4, 14, 3, 20);
  const Experiment experiment{task, "perceptron"};
  DiskFullFor observer(100, 100);
  expect_same(experiment.run({.epochs = 3, .checkpoint = folder_.path("missing/checkpoint")}, observer),
              experiment.run({.epochs = 3}));
  EXPECT_EQ(observer.warnings.size(), 3u);
}

}  // namespace
}  // namespace hinge::test
