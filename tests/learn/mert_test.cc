#include "hinge/learn/mert.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hinge/core/error.h"
#include "tests/support/enumerated_task.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

double cost_of(const Task& task, const Weights& w) {
  const auto search = find_extension<LineTask>(task)->make_line_search();
  search->move_to(w);
  return search->cost();
}

double size_of(const Weights& w) {
  double sum = 0.0;
  for (const float value : w.span()) sum += std::abs(static_cast<double>(value));
  return sum;
}

TEST(Mert, NeverEndsWorseThanItBeganNorAPassWorseThanTheOneBefore) {
  for (const auto& [name, task] : small_problems(3)) {
    SCOPED_TRACE(name);
    Random random(3);
    Weights start(task.dimension());
    for (std::size_t id = 0; id < start.size(); ++id)
      start[id] = static_cast<float>(2.0 * random.uniform() - 1.0);
    Workers workers(1);
    const auto learner = configured("mert", {{"average", "false"}})->start(task, workers);
    learner->start_from(start);
    double before = cost_of(task, start);
    EXPECT_EQ(cost_of(task, learner->model()), before);
    const double first = before;
    for (int pass = 0; pass < 5; ++pass) {
      run_pass(*learner, {0, 1}, random);
      const double after = cost_of(task, learner->model());
      EXPECT_LE(after, before);
      before = after;
    }
    EXPECT_LT(before, first);
  }
}

TEST(Mert, FindsWeightsWithoutErrorsWhereThereAreSome) {
  const EnumeratedTask task = separable_multiclass(2, 20, 3, 4);
  const TrainResult result =
      train_quietly(task, {.learner = "mert", .options = {{"average", "false"}}, .seed = 2});
  EXPECT_EQ(cost_of(task, result.weights), 0.0);
  EXPECT_EQ(result.history.back().loss, 0.0);
}

TEST(Mert, EndsWhereNoCoordinateGains) {
  const EnumeratedTask task = random_multiclass(6, 20, 4, 6);
  const TrainResult result =
      train_quietly(task, {.learner = "mert", .options = {{"epochs", "1"}, {"tolerance", "0"}}});
  const auto search = task.make_line_search();
  search->move_to(result.weights);
  Scratch scratch;
  for (FeatureId id = 0; id < task.dimension(); ++id) {
    SparseVector axis;
    axis.add(id, 1.0f);
    EXPECT_EQ(search->best_on_line(axis, scratch).cost, search->cost()) << id;
  }
}

TEST(Mert, KeepsTheSizeOfTheWeightsItBeganWith) {
  const EnumeratedTask task = random_multiclass(6, 20, 4, 6);
  EXPECT_NEAR(size_of(train_quietly(task, {.learner = "mert"}).weights), 1.0, 1e-6);
  Weights start(task.dimension());
  for (std::size_t id = 0; id < start.size(); ++id) start[id] = id % 2 == 0 ? 0.5f : -0.25f;
  Workers workers(1);
  const auto learner = configured("mert", {})->start(task, workers);
  learner->start_from(start);
  Random random(1);
  for (int pass = 0; pass < 3; ++pass) run_pass(*learner, {0}, random);
  EXPECT_NEAR(size_of(learner->model()), size_of(start), 1e-5);
  EXPECT_LT(cost_of(task, learner->model()), cost_of(task, start));
}

TEST(Mert, AveragesTheEndsOfItsAscents) {
  const EnumeratedTask task = random_multiclass(6, 20, 4, 6);
  Workers workers(1);
  const auto mean = configured("mert", {{"average", "true"}})->start(task, workers);
  Random random(1);
  run_pass(*mean, {0}, random);
  const Weights first = mean->model();
  run_pass(*mean, {0}, random);
  // The best of two ascents is one of them, so the mean determines the end of the other.
  const Weights both = mean->model();
  EXPECT_NEAR(size_of(both), 1.0, 1e-6);
  const auto best = configured("mert", {{"average", "false"}})->start(task, workers);
  Random again(1);
  run_pass(*best, {0}, again);
  for (std::size_t id = 0; id < first.size(); ++id) EXPECT_NEAR(best->model()[id], first[id], 1e-6);
  bool differs = false;
  for (std::size_t id = 0; id < first.size(); ++id) differs = differs || both[id] != first[id];
  EXPECT_TRUE(differs);
}

TEST(Mert, RandomDirectionsAreTheSameForAnyNumberOfThreads) {
  const EnumeratedTask task = random_chains(5, 12, 3, 3);
  TrainingRun run{.learner = "mert", .options = {{"epochs", "3"}, {"directions", "7"}}, .seed = 5};
  const Weights alone = train_quietly(task, run).weights;
  run.threads = 2;
  const Weights together = train_quietly(task, run).weights;
  for (std::size_t id = 0; id < task.dimension(); ++id) EXPECT_EQ(alone[id], together[id]);
}

void expect_refused(const Task& task, const std::string& part) {
  Workers workers(1);
  try {
    configured("mert", {})->start(task, workers);
    ADD_FAILURE() << "not noticed";
  } catch (const OptionError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(Mert, IsRefusedWithoutListsAndWithManyFeatures) {
  const EnumeratedTask few = random_multiclass(6, 20, 4, 6);
  expect_refused(WrappedTask(few), "mert needs lists of outputs");
  expect_refused(WrappedTask(few), "perceptron, mira");
  expect_refused(random_multiclass(6, 20, 4, 60), "240 features");
}

}  // namespace
}  // namespace hinge::test
