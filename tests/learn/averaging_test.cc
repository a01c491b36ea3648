#include "hinge/learn/steps/averaging.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

#include "hinge/core/random.h"
#include "hinge/learn/steps/adadelta.h"
#include "hinge/learn/steps/adagrad.h"

namespace hinge::test {
namespace {

using Dense = std::vector<double>;

// Low ids are frequent, high ones rare; the last four never occur.
SparseVector random_vector(std::size_t dimension, Random& random) {
  SparseVector v;
  for (std::size_t id = 0; id + 4 < dimension; ++id) {
    if (random.below(id + 1) > 0) continue;
    v.add(static_cast<FeatureId>(id), static_cast<float>(random.uniform() * 2.0 - 1.0));
  }
  return v;
}

Weights random_weights(std::size_t dimension, Random& random) {
  Weights w(dimension);
  for (float& value : w.span()) value = static_cast<float>(random.uniform() - 0.5);
  return w;
}

void expect_close(const Weights& found, const Dense& expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t id = 0; id < expected.size(); ++id) {
    ASSERT_NEAR(found[id], expected[id], tolerance * std::max(1.0, std::abs(expected[id])))
        << "weight " << id;
  }
}

void expect_same(const Weights& found, const Weights& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t id = 0; id < expected.size(); ++id) ASSERT_EQ(found[id], expected[id]) << "weight " << id;
}

// The average of all iterates, computed directly; the t-th counts t or 1 times.
class PlainAverage {
 public:
  PlainAverage(const Dense& start, Averaging averaging)
      : w_(start), sum_(start.size()), averaging_(averaging) {}

  void add(double scale, const SparseVector& psi) {
    for (const auto& [id, value] : psi.entries()) w_[id] += scale * value;
  }
  void end_step() {
    const double share = averaging_ == Averaging::kLinear ? ++steps_ : (++steps_, 1.0);
    for (std::size_t id = 0; id < w_.size(); ++id) sum_[id] += share * w_[id];
    shares_ += share;
  }
  Dense model() const {
    if (averaging_ == Averaging::kNone || steps_ == 0.0) return w_;
    Dense mean = sum_;
    for (double& value : mean) value /= shares_;
    return mean;
  }

 private:
  Dense w_;
  Dense sum_;
  double steps_ = 0.0;
  double shares_ = 0.0;
  Averaging averaging_;
};

Dense in_double(const Weights& w) { return {w.span().begin(), w.span().end()}; }

TEST(AveragedWeights, AreThePlainAverageOfAllIterates) {
  for (const Averaging averaging : {Averaging::kNone, Averaging::kUniform, Averaging::kLinear}) {
    for (const std::uint64_t seed : {1, 2, 3}) {
      SCOPED_TRACE(::testing::Message() << static_cast<int>(averaging) << ", seed " << seed);
      Random random(seed);
      constexpr std::size_t kDimension = 30;
      AveragedWeights lazy(kDimension, averaging);
      const Weights start = random_weights(kDimension, random);
      if (seed > 1) lazy.start_from(start);
      PlainAverage plain(seed > 1 ? in_double(start) : Dense(kDimension), averaging);
      expect_close(lazy.model(), plain.model(), 0.0);
      for (int step = 0; step < 400; ++step) {
        for (std::uint64_t adds = random.below(4); adds > 0; --adds) {  // none, one or several
          const SparseVector psi = random_vector(kDimension, random);
          const double scale = random.uniform() - 0.5;
          lazy.add(scale, psi);
          plain.add(scale, psi);
        }
        lazy.end_step();
        plain.end_step();
        if (step % 50 == 0) expect_close(lazy.model(), plain.model(), 1e-4);
      }
      EXPECT_EQ(lazy.steps(), 400.0);
      expect_close(lazy.model(), plain.model(), 1e-4);
      const Weights model = lazy.model();
      expect_same(lazy.take_model(), model);
    }
  }
}

// All sums are integers that a float represents exactly, so only the division rounds.
TEST(AveragedWeights, AreExactWhereTheSumsAre) {
  for (const Averaging averaging : {Averaging::kUniform, Averaging::kLinear}) {
    Random random(4);
    constexpr std::size_t kDimension = 12;
    AveragedWeights lazy(kDimension, averaging);
    PlainAverage plain(Dense(kDimension), averaging);
    for (int step = 0; step < 60; ++step) {
      SparseVector psi;
      for (int k = 0; k < 3; ++k)
        psi.add(static_cast<FeatureId>(random.below(kDimension)), random.below(2) == 0 ? 1.0f : -1.0f);
      lazy.add(2.0, psi);
      plain.add(2.0, psi);
      lazy.end_step();
      plain.end_step();
    }
    const Weights model = lazy.model();
    const Dense expected = plain.model();
    for (std::size_t id = 0; id < kDimension; ++id)
      EXPECT_FLOAT_EQ(model[id], static_cast<float>(expected[id]));
  }
}

TEST(AveragedWeights, AverageAWeightThatWentBackToZero) {
  SparseVector one;
  one.add(0, 1.0f);
  for (const Averaging averaging : {Averaging::kUniform, Averaging::kLinear}) {
    AveragedWeights w(1, averaging);
    w.end_step();
    w.add(1.0, one);
    w.end_step();
    w.add(-1.0, one);
    w.end_step();
    EXPECT_EQ(w.current()[0], 0.0f);
    EXPECT_FLOAT_EQ(w.model()[0], 1.0f / 3.0f);  // 1 / 3, and 2 / (1 + 2 + 3)
  }
}

TEST(AveragedWeights, GiveTheirChangeAndAreTheCommonWeightsAgain) {
  Random random(8);
  constexpr std::size_t kDimension = 3 * kLine + 5;
  for (const Averaging averaging : {Averaging::kNone, Averaging::kUniform, Averaging::kLinear}) {
    const Weights common = random_weights(kDimension, random);
    AveragedWeights copy(kDimension, averaging);
    copy.start_from(common);
    copy.track_changes();
    for (int time = 0; time < 2; ++time) {  // the second finds nothing of the first
      AveragedWeights fresh(kDimension, averaging);
      fresh.start_from(common);
      for (int step = 0; step < 20; ++step) {
        const SparseVector psi = random_vector(kDimension, random);
        for (AveragedWeights* w : {&copy, &fresh}) {
          w->add(0.5, psi);
          w->end_step();
        }
      }
      Weights model = common;
      axpy(2.0, copy.take_change(common, /*scale=*/0.5), model);
      const Weights expected = fresh.model();
      for (std::size_t id = 0; id < kDimension; ++id) EXPECT_NEAR(model[id], expected[id], 1e-5) << id;
      expect_same(copy.current(), common);
    }
  }
}

TEST(AveragedWeights, PackedAndSparseUpdatesAreTheSame) {
  Random random(6);
  AveragedWeights sparse(20, Averaging::kLinear);
  AveragedWeights packed(20, Averaging::kLinear);
  for (int step = 0; step < 50; ++step) {
    SparseVector psi = random_vector(20, random);
    psi.merge();
    sparse.add(0.5, psi);
    packed.add(0.5, PackedVector(psi));
    sparse.end_step();
    packed.end_step();
  }
  expect_same(packed.model(), sparse.model());
}

// One run of a method on random sparse gradients; catches weights up before
// reading them, as every learner does.
constexpr std::size_t kDimension = 40;
constexpr int kSteps = 600;

std::vector<Block> blocks_of(const SparseVector& gradient) {
  std::vector<Block> blocks;
  for (const Entry& entry : gradient.entries()) blocks.push_back({.first = entry.id, .count = 1});
  return blocks;
}

void do_step(LazyStep& method, const SparseVector& gradient) {
  Gradient singles;
  for (const Entry& entry : gradient.entries()) singles.add(entry.id, entry.value);
  method.add(1.0, singles);
  method.step();
}

using AfterStep = std::function<void(LazyStep&, const SparseVector& gradient)>;

void run(
    LazyStep& method, std::uint64_t seed, const AfterStep& after = [](LazyStep&, const SparseVector&) {}) {
  Random random(seed);
  for (int step = 0; step < kSteps; ++step) {
    // Some steps have no gradient, like a batch without mistakes.
    const SparseVector gradient = step % 7 == 3 ? SparseVector() : random_vector(kDimension, random);
    method.catch_up(blocks_of(gradient));
    do_step(method, gradient);
    after(method, gradient);
  }
}

// Algorithm 1 with every weight updated at every step, in double.
class PlainAdaGrad {
 public:
  PlainAdaGrad(const AdaGradSettings& settings, Dense start)
      : settings_(settings), w_(std::move(start)), squares_(w_.size(), 1e-6), sum_(w_.size()) {}

  void update(const SparseVector& gradient) {
    Dense g(w_.size());
    for (const auto& [id, value] : gradient.entries()) g[id] = value;
    const double rate = settings_.eta * settings_.lambda;
    for (std::size_t id = 0; id < w_.size(); ++id) {
      squares_[id] += g[id] * g[id];
      const double root = std::sqrt(squares_[id]);
      if (settings_.l1) {
        const double u = w_[id] - settings_.eta / root * g[id];
        w_[id] = std::copysign(std::max(0.0, std::abs(u) - rate / root), u);
      } else {
        w_[id] = (w_[id] * root - settings_.eta * g[id]) / (rate + root);
      }
      sum_[id] += w_[id];
    }
    ++steps_;
  }
  const Dense& current() const { return w_; }
  Dense mean() const {
    Dense mean = sum_;
    for (double& value : mean) value /= steps_;
    return mean;
  }

 private:
  AdaGradSettings settings_;
  Dense w_;
  Dense squares_;
  Dense sum_;
  double steps_ = 0.0;
};

struct Case {
  double lambda;
  bool l1;
  std::uint64_t seed;
  bool starts;  // from non-zero weights
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const double lambda : {0.0, 1e-7, 1e-3, 0.05, 2.0}) {
    for (const bool l1 : {false, true}) {
      for (const bool starts : {false, true}) all.push_back({lambda, l1, 11 + all.size(), starts});
    }
  }
  return all;
}

std::string name(const Case& c) {
  return fmt::format("{} lambda {} seed {}{}", c.l1 ? "L1" : "L2", c.lambda, c.seed,
                     c.starts ? ", started from a model" : "");
}

class AdaGradRun {
 public:
  explicit AdaGradRun(const Case& c) : case_(c), start_(kDimension) {
    Random random(c.seed + 1000);
    if (c.starts) start_ = random_weights(kDimension, random);
  }

  AdaGradSettings settings(bool lazy, bool average) const {
    return {.eta = 0.1, .lambda = case_.lambda, .l1 = case_.l1, .lazy = lazy, .average = average};
  }
  std::unique_ptr<LazyStep> make(bool lazy, bool average) const {
    std::unique_ptr<LazyStep> method = make_adagrad(kDimension, settings(lazy, average));
    if (case_.starts) method->start_from(start_);
    return method;
  }
  PlainAdaGrad plain() const { return {settings(true, true), in_double(start_)}; }

 private:
  Case case_;
  Weights start_;
};

constexpr double kTolerance = 2e-5;  // of floats after kSteps steps

TEST(AdaGradAverage, IsThatOfEveryWeightMovedAtEveryStep) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(name(c));
    const AdaGradRun experiment(c);
    PlainAdaGrad plain = experiment.plain();
    const auto lazy = experiment.make(/*lazy=*/true, /*average=*/true);
    int step = 0;
    run(*lazy, c.seed, [&](LazyStep& method, const SparseVector& gradient) {
      plain.update(gradient);
      // Reading the model midway must not change the result.
      if (++step % 100 == 0) expect_close(method.model(), plain.mean(), kTolerance);
    });
    expect_close(lazy->model(), plain.mean(), kTolerance);
    const Weights model = lazy->model();
    expect_same(lazy->take_model(), model);
    const auto eager = experiment.make(/*lazy=*/false, /*average=*/true);
    run(*eager, c.seed);
    expect_close(eager->model(), plain.mean(), kTolerance);
    const auto last = experiment.make(/*lazy=*/true, /*average=*/false);
    run(*last, c.seed);
    expect_close(last->model(), plain.current(), kTolerance);
  }
}

TEST(AdaGradAverage, IsTheMeanOfTheWeightsCaughtUpAfterEachStep) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(name(c));
    const AdaGradRun experiment(c);
    const Block all{.first = 0, .count = kDimension};
    Dense sum(kDimension);
    const auto watched = experiment.make(/*lazy=*/true, /*average=*/false);
    run(*watched, c.seed, [&](LazyStep& method, const SparseVector&) {
      method.catch_up(std::span(&all, 1));
      for (std::size_t id = 0; id < kDimension; ++id) sum[id] += method.current()[id];
    });
    for (double& value : sum) value /= kSteps;
    const auto lazy = experiment.make(/*lazy=*/true, /*average=*/true);
    run(*lazy, c.seed);
    expect_close(lazy->model(), sum, kTolerance);
  }
}

TEST(AdaGradAverage, OfAWeightThatL1TakesToZeroCountsOnlyTheWay) {
  const auto method = make_adagrad(1, {.eta = 1.0, .lambda = 0.1, .l1 = true, .average = true});
  SparseVector gradient;
  gradient.add(0, -1.0f);
  do_step(*method, gradient);  // root 1, w = 1 - 0.1
  for (int step = 1; step < 100; ++step) do_step(*method, SparseVector());
  // 0.9 + 0.8 + ... + 0.1, and zero for the rest.
  EXPECT_NEAR(method->model()[0], 4.5 / 100, 1e-5);
}

TEST(AdaGradAverage, BeforeTheFirstStepIsTheStart) {
  Random random(3);
  const Weights start = random_weights(kDimension, random);
  const auto method = make_adagrad(kDimension, {.eta = 0.1, .lambda = 0.1, .average = true});
  method->start_from(start);
  expect_same(method->model(), start);
}

// Zeiler's Algorithm 1 for each weight over the steps that touch it, in double;
// the average over all steps.
class PlainAdaDelta {
 public:
  PlainAdaDelta(const AdaDeltaSettings& settings, Dense start)
      : settings_(settings),
        w_(std::move(start)),
        g2_(w_.size()),
        dx2_(w_.size()),
        owed_(w_.size()),
        sum_(w_.size()) {}

  void update(const SparseVector& gradient) {
    const double rho = settings_.rho;
    for (std::size_t id = 0; id < w_.size(); ++id) owed_[id] += settings_.lambda * w_[id];
    for (const auto& [id, value] : gradient.entries()) {
      const double g = value + std::exchange(owed_[id], 0.0);
      g2_[id] = rho * g2_[id] + (1.0 - rho) * g * g;
      const double step =
          -std::sqrt(dx2_[id] + settings_.epsilon) / std::sqrt(g2_[id] + settings_.epsilon) * g;
      dx2_[id] = rho * dx2_[id] + (1.0 - rho) * step * step;
      w_[id] += step;
    }
    for (std::size_t id = 0; id < w_.size(); ++id) sum_[id] += w_[id];
    ++steps_;
  }
  Dense model() const {
    if (!settings_.average || steps_ == 0.0) return w_;
    Dense mean = sum_;
    for (double& value : mean) value /= steps_;
    return mean;
  }

 private:
  AdaDeltaSettings settings_;
  Dense w_;
  Dense g2_;
  Dense dx2_;
  Dense owed_;  // regularizer of the steps since the last update
  Dense sum_;
  double steps_ = 0.0;
};

TEST(AdaDelta, IsTheRuleOfItsHeaderWrittenOut) {
  for (const bool average : {false, true}) {
    for (const double lambda : {0.0, 1e-3, 0.05}) {
      for (const bool starts : {false, true}) {
        for (const double rho : {0.5, 0.95}) {
          SCOPED_TRACE(::testing::Message() << "average " << average << ", lambda " << lambda << ", rho "
                                            << rho << ", starts " << starts);
          Random random(17);
          const Weights start = starts ? random_weights(kDimension, random) : Weights(kDimension);
          const AdaDeltaSettings settings{.rho = rho, .epsilon = 1e-4, .lambda = lambda, .average = average};
          PlainAdaDelta plain(settings, in_double(start));
          const auto method = make_adadelta(kDimension, settings);
          method->start_from(start);
          int step = 0;
          run(*method, 23, [&](LazyStep& m, const SparseVector& gradient) {
            plain.update(gradient);
            if (++step % 150 == 0) expect_close(m.model(), plain.model(), 1e-4);
          });
          expect_close(method->model(), plain.model(), 1e-4);
          const Weights model = method->model();
          expect_same(method->take_model(), model);
        }
      }
    }
  }
}

TEST(AdaDelta, WithoutStepsIsWhereItStarted) {
  Random random(3);
  const Weights start = random_weights(kDimension, random);
  for (const bool average : {false, true}) {
    const auto method = make_adadelta(kDimension, {.average = average});
    method->start_from(start);
    expect_same(method->model(), start);
    do_step(*method, SparseVector());
    expect_same(method->model(), start);
  }
}

}  // namespace
}  // namespace hinge::test
