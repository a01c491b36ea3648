// Properties of every learner in the table. A new row is tested here without any
// change, unless it needs its own recipe.
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "hinge/core/error.h"
#include "tests/support/dense_likelihood.h"
#include "tests/support/dense_qp.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge {

void PrintTo(const LearnerRow& row, std::ostream* out) { *out << row.name; }

}  // namespace hinge

namespace hinge::test {
namespace {

// Options that bring a learner to the optimum of the small problems, and how
// close it gets. A subgradient method gets only as close as its last steps are
// long.
struct Recipe {
  Options options;
  double tolerance;  // relative
};

Recipe recipe_for(std::string_view learner) {
  if (learner == "dcd") return {{{"C", "0.5"}, {"epochs", "400"}, {"tolerance", "1e-6"}}, 1e-5};
  if (learner == "dcd-light") return {{{"C", "0.5"}, {"epochs", "2000"}, {"tolerance", "1e-6"}}, 1e-5};
  if (learner == "cpd")
    return {{{"C", "0.5"}, {"epochs", "200"}, {"inner_passes", "2000"}, {"tolerance", "1e-6"}}, 1e-5};
  if (learner == "ocp") return {{{"C", "0.5"}, {"epochs", "2000"}, {"tolerance", "1e-6"}}, 1e-4};
  if (learner == "bcfw") return {{{"C", "0.5"}, {"epochs", "20000"}}, 1e-3};
  if (learner == "cutting-plane")
    return {{{"C", "0.5"}, {"epochs", "200"}, {"inner_passes", "2000"}, {"epsilon", "1e-6"}}, 1e-4};
  if (learner == "one-slack") return {{{"C", "0.5"}, {"epochs", "2000"}, {"epsilon", "1e-7"}}, 1e-4};
  if (learner == "sgd") return {{{"C", "0.5"}, {"epochs", "20000"}, {"average", "true"}}, 1e-3};
  if (learner == "smd") return {{{"C", "0.5"}, {"epochs", "20000"}}, 1e-3};
  if (learner == "ops") return {{{"C", "0.5"}, {"epochs", "5000"}, {"eta", "0.03"}}, 1e-3};
  if (learner == "smo") return {{{"C", "0.5"}, {"epochs", "2000"}, {"epsilon", "1e-6"}}, 1e-5};
  if (learner == "crf")
    return {{{"C", "0.5"}, {"epochs", "500"}, {"unobserved", "true"}, {"tolerance", "1e-12"}}, 1e-6};
  if (learner == "softmax-margin") return {{{"C", "0.5"}, {"epochs", "5000"}, {"eta", "0.03"}}, 1e-3};
  if (learner == "egd") return {{{"C", "0.5"}, {"epochs", "5000"}}, 1e-3};
  if (learner == "extragradient") return {{{"C", "0.5"}, {"epochs", "20000"}}, 1e-3};
  return {{{"C", "0.5"}, {"epochs", "2000"}}, 1e-3};
}

// A few quick epochs, with batches and k-best turned on.
Options quick_options(std::string_view learner) {
  if (learner == "ops" || learner == "softmax-margin" || learner == "sgd") return {{"epochs", "3"}, {"batch", "4"}};
  if (learner == "mira") return {{"epochs", "3"}, {"k", "3"}};
  return {{"epochs", "3"}};
}

// No tuning on other examples before the first pass.
Options plain_options(std::string_view learner) {
  return learner == "sgd" ? Options{{"eta0", "0.25"}} : Options{};
}

Optimum optimum_of(const EnumeratedTask& task, std::string_view loss, double C) {
  if (loss == "log") return dense_likelihood_optimum(task, {.loss = Loss::kLog, .C = C});
  if (loss == "log+cost") return dense_likelihood_optimum(task, {.loss = Loss::kSoftmaxMargin, .C = C});
  return dense_optimum(task, {.loss = loss == "L2" ? Loss::kL2 : Loss::kL1, .C = C});
}

std::string name_of(const LearnerRow& row) { return std::string(row.name); }

bool same_bits(const Weights& a, const Weights& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

double dot_product(const Weights& a, const Weights& b) {
  double sum = 0.0;
  for (std::size_t id = 0; id < a.size(); ++id) sum += double{a[id]} * b[id];
  return sum;
}

class EveryLearner : public testing::TestWithParam<LearnerRow> {
 protected:
  std::string learner() const { return name_of(GetParam()); }
  bool has_objective() const { return GetParam().loss != "-"; }
  bool is_online() const { return GetParam().kind == LearnerRow::Kind::kOnline; }

  std::string message_of(const Task& task, const std::vector<std::uint32_t>& order) const {
    Workers workers(1);
    const auto started = configured(learner(), plain_options(learner()))->start(task, workers);
    Random random(1);
    try {
      run_pass(*started, order, random);
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }
};

std::string test_name(const testing::TestParamInfo<LearnerRow>& info) {
  std::string name = name_of(info.param);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Table, EveryLearner,
                         testing::ValuesIn(learner_table().begin(), learner_table().end()), test_name);

template <typename Keep>
std::vector<LearnerRow> rows_that(const Keep& keep) {
  std::vector<LearnerRow> rows(learner_table().begin(), learner_table().end());
  std::erase_if(rows, [&](const LearnerRow& row) { return !keep(row); });
  return rows;
}

class EveryOnlineLearner : public EveryLearner {};
INSTANTIATE_TEST_SUITE_P(Table, EveryOnlineLearner, testing::ValuesIn(rows_that([](const LearnerRow& row) {
                           return row.kind == LearnerRow::Kind::kOnline;
                         })),
                         test_name);
class EveryDecodingLearner : public EveryLearner {};
INSTANTIATE_TEST_SUITE_P(Table, EveryDecodingLearner, testing::ValuesIn(rows_that([](const LearnerRow& row) {
                           return !asks_for<MarginalTask>(row) && !asks_for<LineTask>(row) &&
                                  !asks_for<FactoredTask>(row);
                         })),
                         test_name);
class EveryMarginalLearner : public EveryLearner {};
INSTANTIATE_TEST_SUITE_P(Table, EveryMarginalLearner, testing::ValuesIn(rows_that([](const LearnerRow& row) {
                           return asks_for<MarginalTask>(row);
                         })),
                         test_name);

class EveryLearnerWithAnObjective : public EveryLearner {};
INSTANTIATE_TEST_SUITE_P(Table, EveryLearnerWithAnObjective,
                         testing::ValuesIn(rows_that([](const LearnerRow& row) { return row.loss != "-"; })),
                         test_name);

TEST_P(EveryLearnerWithAnObjective, EndsAtTheOptimumOfTheDenseSolver) {
  const auto [options, tolerance] = recipe_for(learner());
  double worst = 0.0;
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      const Optimum optimum = optimum_of(task, GetParam().loss, 0.5);
      const TrainResult result = train_quietly(
          task, {.learner = learner(), .options = options, .seed = seed, .objective = ObjectiveWhen::kEnd});
      const Objective end = result.history.back().objective.value();
      const double relative = end.primal / optimum.value - 1.0;
      worst = std::max(worst, relative);
      EXPECT_GE(relative, -1e-6);
      EXPECT_LE(relative, tolerance);
      EXPECT_NEAR(end.dual.value_or(optimum.value), optimum.value, tolerance * optimum.value);
    }
  }
  RecordProperty("worst_relative_distance", fmt::format("{:.1e}", worst));
}

TEST_P(EveryLearner, SaysTheObjectiveThatTheTableSays) {
  const EnumeratedTask task = random_multiclass(1, 5, 3, 3);
  Workers workers(1);
  const ObjectiveKind kind = configured(learner(), {})->start(task, workers)->objective();
  EXPECT_EQ(kind.C.has_value(), has_objective());
  if (!has_objective()) return;
  EXPECT_EQ(loss_name(kind.loss), GetParam().loss);
}

TEST_P(EveryLearner, TrainsTheSameBitsWithAnyNumberOfThreads) {
  const tbb::global_control more_than_cores(tbb::global_control::max_allowed_parallelism, 4);
  for (const auto& [name, task] : small_problems(5)) {
    SCOPED_TRACE(name);
    TrainingRun run{.learner = learner(), .options = quick_options(learner()), .seed = 9};
    run.objective = has_objective() ? ObjectiveWhen::kEnd : ObjectiveWhen::kNever;
    const TrainResult alone = train_quietly(task, run);
    for (const int threads : {1, 2, 3}) {
      run.threads = threads;
      const TrainResult result = train_quietly(task, run);
      EXPECT_TRUE(same_bits(result.weights, alone.weights)) << threads << " threads";
      if (has_objective()) {
        EXPECT_EQ(result.history.back().objective->primal, alone.history.back().objective->primal);
      }
    }
  }
}

TEST_P(EveryOnlineLearner, TrainsOtherWeightsFromAnotherSeed) {
  const EnumeratedTask task = random_multiclass(5, 30, 4, 6);
  const Options options = quick_options(learner());
  const Weights one = train_quietly(task, {.learner = learner(), .options = options, .seed = 1}).weights;
  const Weights two = train_quietly(task, {.learner = learner(), .options = options, .seed = 2}).weights;
  EXPECT_FALSE(same_bits(one, two));
}

TEST_P(EveryLearner, TakesTheModelItWouldCopy) {
  const EnumeratedTask task = random_chains(6, 10, 3, 3);
  Workers workers(1);
  const auto started = configured(learner(), {})->start(task, workers);
  if (learner() != "egd") {  // starts at uniform distributions
    EXPECT_EQ(squared_norm(started->model()), 0.0);
  }
  Random random(6);
  for (int pass = 0; pass < 3; ++pass) run_pass(*started, {3, 1, 4, 0, 5, 9, 2, 6}, random);
  const Weights copied = started->model();
  EXPECT_GT(squared_norm(copied), 0.0);
  EXPECT_TRUE(same_bits(copied, started->take_model()));
}

TEST_P(EveryDecodingLearner, CatchesANegativeLossAtTheFirstExample) {
  const EnumeratedTask inner = random_multiclass(2, 8, 3, 4);
  const WrappedTask always(inner, [](std::size_t, Cut& cut) { cut.loss = -0.25; });
  const std::string first = is_online() ? "example 4" : "example 0";
  EXPECT_NE(message_of(always, {4, 1, 2}).find(first + ": the task gave a loss of -0.25"), std::string::npos)
      << message_of(always, {4, 1, 2});
  const WrappedTask once(inner, [](std::size_t i, Cut& cut) {
    if (i == 2) cut.loss = -1e-9;
  });
  EXPECT_NE(message_of(once, {4, 1, 2}).find("example 2"), std::string::npos);
}

TEST_P(EveryDecodingLearner, CatchesALossThatIsNoNumber) {
  const EnumeratedTask inner = random_multiclass(2, 8, 3, 4);
  const WrappedTask task(inner, [](std::size_t i, Cut& cut) {
    if (i == 1) cut.loss = std::numeric_limits<double>::quiet_NaN();
  });
  EXPECT_NE(message_of(task, {0, 1}).find("example 1"), std::string::npos);
}

TEST_P(EveryDecodingLearner, CatchesAMarginThatIsNoNumber) {
  const EnumeratedTask inner = random_multiclass(2, 8, 3, 4);
  for (const double margin :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    const WrappedTask task(inner, [=](std::size_t i, Cut& cut) {
      if (i == 7) cut.margin = margin;
    });
    EXPECT_NE(message_of(task, {0, 7}).find("example 7: the margin is"), std::string::npos);
  }
}

TEST_P(EveryMarginalLearner, CatchesALogLossThatIsNoNumber) {
  const EnumeratedTask inner = random_multiclass(2, 8, 3, 4);
  const WrappedTask task(inner, [](std::size_t i, Expectation& expectation) {
    if (i == 7) expectation.log_loss = std::numeric_limits<double>::quiet_NaN();
  });
  Workers workers(1);
  try {
    Random random(1);
    run_pass(*configured(learner(), {})->start(task, workers), {0, 7}, random);
    ADD_FAILURE() << "not noticed";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("example 7: the log-loss is nan"), std::string::npos)
        << error.what();
  }
}

TEST_P(EveryMarginalLearner, IsRefusedByATaskWithoutThem) {
  const EnumeratedTask inner = random_multiclass(2, 8, 3, 4);
  const WrappedTask task(inner);
  Workers workers(1);
  try {
    configured(learner(), {})->start(task, workers);
    ADD_FAILURE() << "not noticed";
  } catch (const OptionError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find(learner() + " needs marginals"), std::string::npos) << message;
    EXPECT_NE(message.find("perceptron, mira, arow, ops"), std::string::npos) << message;
    EXPECT_EQ(message.find("softmax-margin", learner().size()), std::string::npos) << message;
  }
}

TEST_P(EveryLearner, GoesOnToTheBitFromItsState) {
  for (const auto& [name, task] : small_problems(8)) {
    SCOPED_TRACE(name);
    const auto choice = configured(learner(), quick_options(learner()));
    Workers workers(1);
    std::vector<std::uint32_t> order(task.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto straight = choice->start(task, workers);
    const auto resumed = choice->start(task, workers);
    Random random(8);
    for (int pass = 0; pass < 20; ++pass) {
      run_pass(*straight, order, random);
      const std::string path = testing::TempDir() + "state_of_" + learner();
      write_checkpoint(path, {}, [&](State& state) { state(random), straight->visit(state); });
      Random random_resumed(0);
      CheckpointFile(path).read([&](State& state) { state(random_resumed), resumed->visit(state); });
      ASSERT_TRUE(same_bits(straight->model(), resumed->model())) << "pass " << pass;
      run_pass(*straight, order, random);
      run_pass(*resumed, order, random_resumed);
      ASSERT_TRUE(same_bits(straight->model(), resumed->model())) << "after pass " << pass;
      ASSERT_EQ(straight->dual(), resumed->dual());
      ASSERT_EQ(random.bits(), random_resumed.bits());
    }
  }
}

TEST_P(EveryLearnerWithAnObjective, FromTheOptimumOfAnotherItStaysNearIt) {
  const auto [options, tolerance] = recipe_for(learner());
  const EnumeratedTask task = random_multiclass(7, 20, 4, 6);
  const Optimum optimum = optimum_of(task, GetParam().loss, 0.5);
  Weights start(task.dimension());
  for (std::size_t id = 0; id < start.size(); ++id) start[id] = static_cast<float>(optimum.w[id]);
  const auto choice = configured(learner(), options);
  Workers workers(1);
  const auto warm = choice->start(task, workers);
  warm->start_from(start);
  Quiet observer;
  const TrainResult result =
      train(task, *warm, {.epochs = choice->epochs(), .objective = ObjectiveWhen::kEnd}, workers, observer);
  EXPECT_LE(result.history.back().objective->primal, (1.0 + tolerance) * optimum.value);
}

TEST_P(EveryOnlineLearner, AveragesWhereAsked) {
  const EnumeratedTask task = random_multiclass(5, 30, 4, 6);
  Options options = quick_options(learner());
  options.emplace_back("average", "true");
  const Weights mean = train_quietly(task, {.learner = learner(), .options = options}).weights;
  options.back().second = "false";
  const Weights last = train_quietly(task, {.learner = learner(), .options = options}).weights;
  EXPECT_FALSE(same_bits(mean, last));
  EXPECT_GT(dot_product(mean, last), 0.0);
}

TEST_P(EveryOnlineLearner, InterruptedAfterSomeExamplesHasTheModelOfThoseExamples) {
  constexpr std::uint64_t kSeed = 4;
  const EnumeratedTask task = random_multiclass(4, 20, 4, 5);
  for (const std::size_t examples : {0u, 1u, 7u}) {
    SCOPED_TRACE(examples);
    const auto choice = configured(learner(), plain_options(learner()));
    Workers workers(1);
    const auto interrupted = choice->start(task, workers);
    InterruptAfter observer(static_cast<std::int64_t>(examples));
    const TrainResult result = train(task, *interrupted, {.seed = kSeed}, workers, observer);
    ASSERT_EQ(result.history.size(), 1u);
    EXPECT_TRUE(result.history[0].interrupted());
    EXPECT_EQ(result.history[0].examples, static_cast<std::int64_t>(examples));

    Random random(kSeed);
    std::vector<std::uint32_t> order;
    for (std::uint32_t i = 0; i < task.size(); ++i) order.push_back(i);
    random.shuffle(std::span(order));
    order.resize(examples);
    const auto shortened = choice->start(task, workers);
    run_pass(*shortened, order, random);
    EXPECT_TRUE(same_bits(result.weights, shortened->model()));
  }
}

TEST_P(EveryLearner, LearnsNothingFromExamplesWithoutRivals) {
  Candidate gold;
  gold.features.add(1, 1.0f);
  const EnumeratedTask task({{gold}, {gold}, {gold}}, 3);
  const TrainResult result = train_quietly(task, {.learner = learner()});
  for (const float value : result.weights.span()) EXPECT_EQ(value, 0.0f);
  EXPECT_EQ(result.history.back().updates, 0);
}

TEST(CuttingPlane, EndsAtTheOptimumOfTheSquaredHingeToo) {
  for (const auto& [name, task] : small_problems(4)) {
    SCOPED_TRACE(name);
    const Optimum optimum = dense_optimum(task, {.loss = Loss::kL2, .C = 0.5});
    const Options options{
        {"C", "0.5"}, {"loss", "l2"}, {"epochs", "200"}, {"inner_passes", "2000"}, {"epsilon", "1e-6"}};
    const TrainResult result = train_quietly(
        task, {.learner = "cutting-plane", .options = options, .objective = ObjectiveWhen::kEnd});
    const Objective end = result.history.back().objective.value();
    EXPECT_LE(end.primal, (1.0 + 1e-5) * optimum.value);
    EXPECT_NEAR(*end.dual, optimum.value, 1e-5 * optimum.value);
    EXPECT_EQ(result.history.back().stop, Stop::kConverged);
  }
}

TEST(DualLearners, KeepWeakDualityAfterEveryPass) {
  Workers workers(1);
  std::size_t dual_learners = 0;
  for (const LearnerRow& row : learner_table()) {
    for (const auto& [name, task] : small_problems(3)) {
      SCOPED_TRACE(name_of(row) + ", " + name);
      const auto started = configured(name_of(row), {})->start(task, workers);
      if (!started->dual()) continue;
      ++dual_learners;
      Random random(3);
      std::vector<std::uint32_t> order;
      for (std::uint32_t i = 0; i < task.size(); ++i) order.push_back(i);
      for (int pass = 0; pass < 30; ++pass) {
        random.shuffle(std::span(order));
        run_pass(*started, order, random);
        const double primal = measure_objective(task, started->model(), started->objective(), workers).primal;
        EXPECT_GE(primal, started->dual().value() - 1e-6 * primal) << "pass " << pass;
      }
    }
  }
  EXPECT_GT(dual_learners, 0u);
}

TEST(LearnerTable, AnUnknownNameIsAnsweredWithTheNearest) {
  try {
    choose_learner("perseptron");
    ADD_FAILURE() << "not noticed";
  } catch (const OptionError& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("did you mean 'perceptron'"), std::string::npos) << message;
    for (const LearnerRow& row : learner_table()) {
      EXPECT_NE(message.find(row.name), std::string::npos) << message;
    }
  }
  EXPECT_THROW(choose_learner(""), OptionError);
}

TEST(LearnerTable, NamesAreUnique) {
  for (const LearnerRow& row : learner_table()) EXPECT_EQ(&find_learner(row.name), &row);
}

}  // namespace
}  // namespace hinge::test
