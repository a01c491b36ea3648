// The contract beyond linear models with exact search: needs and assumptions of
// learners, non-linear models, cancelled decodes.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/learn/driver/check_task.h"
#include "hinge/learn/driver/objective.h"
#include "hinge/learn/registry.h"
#include "tests/support/enumerated_task.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

// Points on a ring around the origin or near the origin, two outputs. No linear
// model separates them; the score comes from a hidden layer.
class Rings final : public Task, public MarginalTask {
 public:
  static constexpr std::size_t kHidden = 16;
  static constexpr std::size_t kInputs = 3;  // x, y, 1
  static constexpr std::size_t kOutput = kHidden * kInputs;

  explicit Rings(std::size_t n) {
    Random random(7);
    for (std::size_t i = 0; i < n; ++i) {
      const double angle = 6.283185307 * random.uniform();
      const double radius = i % 2 == 0 ? 0.4 * random.uniform() : 1.0 + 0.4 * random.uniform();
      points_.push_back({radius * std::cos(angle), radius * std::sin(angle)});
    }
  }

  std::size_t size() const override { return points_.size(); }
  std::size_t dimension() const override { return kOutput + kHidden; }
  TaskFacts facts() const override { return {.linear = false}; }
  const Extension* extension(std::string_view name) const override {
    return offer<MarginalTask>(*this, name);
  }

  bool initialize(Random& random, Weights& w) const override {
    for (float& weight : w.span()) weight = static_cast<float>(2.0 * random.uniform() - 1.0);
    return true;
  }

  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch&, Cut& cut) const override {
    cut.psi.clear();
    const double margin = (is_outer(i) ? 1.0 : -1.0) * score(i, w);
    const bool wrong = loss_weight - margin > 0.0;
    cut.loss = wrong ? 1.0 : 0.0;
    cut.margin = wrong ? margin : 0.0;
    if (wrong) add_gradient(i, w, is_outer(i) ? 1.0 : -1.0, cut.psi);
  }

  void expect(std::size_t i, const Weights& w, double loss_weight, Scratch&, Expectation& e) const override {
    const double sign = is_outer(i) ? 1.0 : -1.0;
    const double other = loss_weight - sign * score(i, w);  // score of the wrong output minus that of gold
    const double p = 1.0 / (1.0 + std::exp(-other));
    e.log_loss = other > 30.0 ? other : std::log1p(std::exp(other));
    e.expected_loss = p;
    e.gradient.clear();
    add_gradient(i, w, -sign * p, e.gradient);
  }

  void support(std::size_t, Scratch&, std::vector<Block>& blocks) const override {
    blocks.push_back({0, static_cast<FeatureId>(dimension())});
  }
  void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    support(i, scratch, blocks);
  }

  std::size_t errors(const Weights& w) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < size(); ++i) n += is_outer(i) != (score(i, w) > 0.0);
    return n;
  }
  double score(std::size_t i, const Weights& w) const {
    double sum = 0.0;
    for (std::size_t h = 0; h < kHidden; ++h) sum += w[kOutput + h] * hidden(i, h, w);
    return sum;
  }

 private:
  static bool is_outer(std::size_t i) { return i % 2 == 1; }
  double input(std::size_t i, std::size_t k) const {
    return k == 2 ? 1.0 : k == 1 ? points_[i].second : points_[i].first;
  }
  double hidden(std::size_t i, std::size_t h, const Weights& w) const {
    double sum = 0.0;
    for (std::size_t k = 0; k < kInputs; ++k) sum += w[h * kInputs + k] * input(i, k);
    return std::tanh(sum);
  }
  void add_gradient(std::size_t i, const Weights& w, double scale, Gradient& gradient) const {
    const std::span<float> all = gradient.add_block(0, dimension());
    for (std::size_t h = 0; h < kHidden; ++h) {
      const double t = hidden(i, h, w);
      all[kOutput + h] = static_cast<float>(scale * t);
      for (std::size_t k = 0; k < kInputs; ++k)
        all[h * kInputs + k] = static_cast<float>(scale * w[kOutput + h] * (1.0 - t * t) * input(i, k));
    }
  }

  std::vector<std::pair<double, double>> points_;
};

TEST(Contract, GradientsOfAModelThatIsNotLinearAreItsDifferences) {
  const Rings rings(10);
  Weights w(rings.dimension());
  Random random(3);
  rings.initialize(random, w);
  Cut cut;
  Scratch scratch;
  for (std::size_t i = 0; i < rings.size(); ++i) {
    rings.most_violated(i, w, 100.0, scratch, cut);
    const SparseVector gradient = to_sparse(cut.psi);
    for (const Entry& entry : gradient.entries()) {
      constexpr float kStep = 1e-2f;
      const float kept = w[entry.id];
      const double sign = i % 2 == 1 ? 1.0 : -1.0;
      w[entry.id] = kept + kStep;
      const double above = sign * rings.score(i, w);
      w[entry.id] = kept - kStep;
      const double below = sign * rings.score(i, w);
      w[entry.id] = kept;
      EXPECT_NEAR(entry.value, (above - below) / (2.0 * kStep), 2e-3);
    }
  }
}

TEST(Contract, LearnersThatNeedALinearModelRefuseAnotherAndTheRestLearnIt) {
  const Rings rings(200);
  std::size_t learned = 0, refused = 0;
  for (const LearnerRow& row : learner_table()) {
    SCOPED_TRACE(row.name);
    const bool asks_for_linear =
        std::ranges::any_of(row.needs, [](const Need& need) { return need.name == kLinear.name; });
    EXPECT_EQ(row.suits(rings), !asks_for_linear);
    if (!row.suits(rings)) {
      Workers workers(1);
      try {
        choose_learner(row.name)->start(rings, workers);
        ADD_FAILURE() << "started";
      } catch (const OptionError& error) {
        EXPECT_NE(std::string(error.what()).find("needs"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find("a linear model"), std::string::npos) << error.what();
      }
      ++refused;
      continue;
    }
    TrainingRun run{.learner = std::string(row.name), .options = {{"epochs", "60"}}};
    if (row.name == "ops" || row.name == "smd" || row.name == "crf" || row.name == "softmax-margin")
      run.options.emplace_back("C", "10");
    EXPECT_LE(rings.errors(train_quietly(rings, run).weights), 20u);
    ++learned;
  }
  EXPECT_GE(learned, 6u);
  EXPECT_GE(refused, 10u);
}

TEST(Contract, AHiddenLayerOfZerosHasNoGradientSoTheTaskSetsTheFirstWeights) {
  const Rings rings(100);
  const Weights zero(rings.dimension());
  Cut cut;
  Scratch scratch;
  rings.most_violated(0, zero, 1.0, scratch, cut);
  EXPECT_EQ(to_sparse(cut.psi).size(), 0u);
  const TrainingRun run{.learner = "perceptron", .options = {{"epochs", "5"}}};
  const Weights w = train_quietly(rings, run).weights;
  EXPECT_GT(squared_norm(w), 1.0);
  // The same seed gives the same initial weights.
  EXPECT_TRUE(std::ranges::equal(w.span(), train_quietly(rings, run).weights.span()));
}

// The wrapped task with different facts.
class Stated final : public Task {
 public:
  Stated(const Task& inner, TaskFacts facts) : inner_(inner), facts_(facts) {}
  std::size_t size() const override { return inner_.size(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  TaskFacts facts() const override { return facts_; }
  std::unique_ptr<Scratch> make_scratch() const override { return inner_.make_scratch(); }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override {
    inner_.most_violated(i, w, loss_weight, scratch, cut);
    cut.exact = exact_cuts;
  }
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    inner_.support(i, scratch, blocks);
  }
  double squared_norm(const Weights& w) const override {
    return facts_.euclidean ? hinge::squared_norm(w) : 42.0;
  }
  bool exact_cuts = true;

 private:
  const Task& inner_;
  TaskFacts facts_;
};

std::string refusal(const Task& task, const TrainSettings& settings) {
  Workers workers(1);
  const auto learner = choose_learner("dcd")->start(task, workers);
  Quiet observer;
  try {
    train(task, *learner, settings, workers, observer);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "";
}

TEST(Contract, TrainingDoesNotStopAtAGapThatIsAnEstimate) {
  const EnumeratedTask inner = random_multiclass(3, 20, 4, 30);
  const TrainSettings settings{.epochs = 3, .stop_gap = 0.5};
  EXPECT_EQ(refusal(Stated(inner, {}), settings), "");
  for (const TaskFacts facts :
       {TaskFacts{.exact = false}, TaskFacts{.fixed_gold = false}, TaskFacts{.fixed_losses = false}}) {
    const Stated task(inner, facts);
    EXPECT_TRUE(find_learner("dcd").suits(task)) << "it runs, and says that its gap is an estimate";
    EXPECT_NE(refusal(task, settings).find("only an estimate"), std::string::npos);
    EXPECT_EQ(refusal(task, {.epochs = 3}), "");
    Workers workers(1);
    EXPECT_TRUE(measure_objective(task, Weights(task.dimension()), {.C = 1.0}, workers).estimate);
  }
}

TEST(Contract, OneCutThatIsNotExactMakesTheObjectiveAnEstimate) {
  const EnumeratedTask inner = random_multiclass(3, 20, 4, 30);
  Stated task(inner, {});
  Workers workers(2);
  const Weights w(task.dimension());
  EXPECT_FALSE(measure_objective(task, w, {.C = 1.0}, workers).estimate);
  task.exact_cuts = false;
  EXPECT_TRUE(measure_objective(task, w, {.C = 1.0}, workers).estimate);
}

TEST(Contract, ATaskMayHaveItsOwnNorm) {
  const EnumeratedTask inner = random_multiclass(3, 20, 4, 30);
  const Stated task(inner, {.euclidean = false});
  Workers workers(1);
  EXPECT_EQ(measure_objective(task, Weights(task.dimension()), {.C = 1.0}, workers).regularizer, 21.0);
  EXPECT_FALSE(find_learner("ops").suits(task));
  EXPECT_TRUE(find_learner("perceptron").suits(task));
}

// Decodes that run forever unless they are cancelled.
class Endless final : public Task {
 public:
  explicit Endless(const Task& inner) : inner_(inner) {}
  std::size_t size() const override { return inner_.size(); }
  std::size_t dimension() const override { return inner_.dimension(); }
  std::unique_ptr<Scratch> make_scratch() const override { return inner_.make_scratch(); }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                     Cut& cut) const override {
    while (i == stuck_at) {
      check_interrupt();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    inner_.most_violated(i, w, loss_weight, scratch, cut);
  }
  void support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const override {
    inner_.support(i, scratch, blocks);
  }
  std::size_t stuck_at = 5;

 private:
  const Task& inner_;
};

class StopsSoon final : public Quiet {
 public:
  bool wants_stop() const override { return ++asked_ > 20; }
  void epoch_done(const EpochReport& report) override { stop = report.stop; }
  Stop stop = Stop::kNot;

 private:
  mutable std::atomic<int> asked_ = 0;
};

TEST(Contract, ADecodeCanBeCancelledFromWithinWhateverTheLearnerAndItsThreads) {
  const EnumeratedTask inner = random_multiclass(3, 20, 4, 30);
  const Endless task(inner);
  for (const LearnerRow& row : learner_table()) {
    if (!row.suits(task)) continue;
    for (const int threads : {1, 3}) {
      SCOPED_TRACE(row.name);
      Workers workers(threads);
      const auto learner = choose_learner(row.name)->start(task, workers);
      StopsSoon observer;
      const TrainResult result =
          train(task, *learner, {.epochs = 3, .objective = ObjectiveWhen::kNever}, workers, observer);
      EXPECT_EQ(observer.stop, Stop::kInterrupted);
      EXPECT_EQ(result.weights.size(), task.dimension());
    }
  }
}

TEST(Contract, ATimeBudgetEndsALongDecode) {
  const EnumeratedTask inner = random_multiclass(3, 20, 4, 30);
  const Endless task(inner);
  Workers workers(1);
  const auto learner = choose_learner("dcd")->start(task, workers);
  Quiet observer;
  const TrainSettings settings{.epochs = 3, .objective = ObjectiveWhen::kNever, .time_budget = 0.05};
  EXPECT_EQ(train(task, *learner, settings, workers, observer).history.back().stop, Stop::kTime);
}

// Chooses the rival by a cost that ignores loss_weight.
class Unscaled final : public Task {
 public:
  std::size_t size() const override { return 20; }
  std::size_t dimension() const override { return size(); }
  void most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch&, Cut& cut) const override {
    cut.psi.clear();
    const bool rival = -w[i] + (loss_weight > 0.0 ? 0.1 : 0.0) > 0.0;
    cut.loss = rival ? 0.1 : 0.0;
    cut.margin = rival ? w[i] : 0.0;
    if (rival) cut.psi.add(static_cast<FeatureId>(i), 1.0f);
  }
  void support(std::size_t i, Scratch&, std::vector<Block>& blocks) const override {
    blocks.push_back({static_cast<FeatureId>(i), 1});
  }
};

TEST(Contract, CheckTaskFindsATaskThatBreaksTheScalingRule) {
  bool found = false;
  for (const std::string& sentence : check_task(Unscaled(), {.rounds = 100}))
    found = found || sentence.find("twice the weights") != std::string::npos;
  EXPECT_TRUE(found);
}

}  // namespace
}  // namespace hinge::test
