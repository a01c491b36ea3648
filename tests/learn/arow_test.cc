#include "hinge/learn/arow.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/dense_qp.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

// One example: gold with `features`, and a rival without any that costs `loss`.
EnumeratedTask one_example(const std::vector<float>& features, double loss) {
  Candidate gold, rival;
  for (FeatureId id = 0; id < features.size(); ++id) gold.features.add(id, features[id]);
  rival.loss = loss;
  return EnumeratedTask({{gold, rival}}, features.size());
}

// The step as dense vectors in double, with the mean of all weights after each.
class DenseArow {
 public:
  DenseArow(const EnumeratedTask& task, double r)
      : task_(task), r_(r), w_(task.dimension()), total_(task.dimension()), precision_(task.dimension(), 1.0) {}

  void step(std::size_t i) {
    Weights rounded(w_.size());
    for (std::size_t d = 0; d < w_.size(); ++d) rounded[d] = static_cast<float>(w_[d]);
    Scratch scratch;
    Cut cut;
    task_.most_violated(i, rounded, /*loss_weight=*/1.0, scratch, cut);
    std::vector<double> psi(w_.size());
    for (const Entry& entry : cut.psi.entries()) psi[entry.id] += entry.value;
    double margin = 0.0, spread = 0.0;
    for (std::size_t d = 0; d < psi.size(); ++d) {
      margin += w_[d] * psi[d];
      spread += psi[d] * psi[d] / precision_[d];
    }
    const double hinge = std::max(0.0, cut.loss - margin);
    for (std::size_t d = 0; d < psi.size(); ++d) {
      w_[d] += hinge / (r_ + spread) * psi[d] / precision_[d];
      if (hinge > 0.0) precision_[d] += psi[d] * psi[d] / r_;
      total_[d] += w_[d];
    }
    ++steps_;
  }

  double last(std::size_t d) const { return w_[d]; }
  double average(std::size_t d) const { return total_[d] / steps_; }

 private:
  const EnumeratedTask& task_;
  double r_;
  std::vector<double> w_;
  std::vector<double> total_;
  std::vector<double> precision_;
  double steps_ = 0.0;
};

// 1 / variance - 1 of every weight: the last array of a checkpoint.
class Precisions final : public State {
 public:
  using State::operator();
  std::vector<float> values;

 protected:
  void transfer(void* bytes, std::size_t count) override {
    if (count % sizeof(float) != 0 || count == sizeof(double)) return;  // a flag, a length or a count
    const auto* begin = static_cast<const float*>(bytes);
    values.assign(begin, begin + count / sizeof(float));
  }
  bool loading() const override { return false; }
  std::uint64_t left() const override { return 0; }
  void refuse() const override { throw std::logic_error("nothing is loaded"); }
};

std::vector<float> precisions_of(Learner& learner) {
  Precisions state;
  learner.visit(state);
  return state.values;
}

class ArowWithR : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Values, ArowWithR, testing::Values(0.1, 1.0, 20.0));

TEST_P(ArowWithR, TheFirstStepOnOneExampleIsTheClosedForm) {
  const double r = GetParam();
  const std::vector<float> x{1.0f, -2.0f, 0.5f};
  const EnumeratedTask task = one_example(x, /*loss=*/3.0);
  const auto learner = make_arow(task, {.r = r});
  Random random(1);
  run_pass(*learner, {0}, random);
  const double norm = 1.0 + 4.0 + 0.25;
  for (std::size_t d = 0; d < x.size(); ++d) EXPECT_NEAR(learner->model()[d], 3.0 / (r + norm) * x[d], 1e-6);
  const double left = 3.0 * (1.0 - norm / (r + norm));
  double spread = 0.0;
  for (const float value : x) spread += double{value} * value / (1.0 + double{value} * value / r);
  run_pass(*learner, {0}, random);
  const double variance = 1.0 / (1.0 + 4.0 / r);
  EXPECT_NEAR(learner->model()[1], -2.0 * (3.0 / (r + norm) + left / (r + spread) * variance), 1e-6);
}

TEST_P(ArowWithR, TheStepIsTheMinimumOfItsObjective) {
  // 1/2 sum_j (w_j^2 + S_j - log S_j) + 1 / (2 r) (H(w)^2 + sum_j S_j x_j^2), from w = 0 and S = 1.
  const double r = GetParam();
  const std::vector<float> x{1.5f, -0.5f, 1.0f};
  const EnumeratedTask task = one_example(x, /*loss=*/1.0);
  const auto learner = make_arow(task, {.r = r});
  Random random(1);
  run_pass(*learner, {0}, random);
  const std::vector<double> w = in_double(learner->model());
  std::vector<double> variance;
  for (const float gained : precisions_of(*learner)) variance.push_back(1.0 / (1.0 + gained));
  ASSERT_EQ(variance.size(), x.size());
  const auto value = [&](const std::vector<double>& w, const std::vector<double>& s) {
    double sum = 0.0, margin = 0.0;
    for (std::size_t d = 0; d < x.size(); ++d) {
      sum += 0.5 * (w[d] * w[d] + s[d] - std::log(s[d])) + s[d] * x[d] * x[d] / (2 * r);
      margin += w[d] * x[d];
    }
    return sum + std::pow(std::max(0.0, 1.0 - margin), 2.0) / (2 * r);
  };
  const double lowest = value(w, variance);
  for (std::size_t d = 0; d < x.size(); ++d) {
    for (const double change : {-1e-2, 1e-2}) {
      std::vector<double> other_w = w, other_s = variance;
      other_w[d] += change;
      other_s[d] *= 1.0 + change;
      EXPECT_GT(value(other_w, variance), lowest);
      EXPECT_GT(value(w, other_s), lowest);
    }
  }
}

TEST_P(ArowWithR, EqualsTheDenseReferenceStepByStep) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      DenseArow dense(task, GetParam());
      const auto plain = make_arow(task, {.r = GetParam()});
      const auto averaged = make_arow(task, {.r = GetParam(), .average = true});
      Random random(seed);
      for (int step = 0; step < 100; ++step) {
        const auto i = static_cast<std::uint32_t>(random.below(task.size()));
        dense.step(i);
        run_pass(*plain, {i}, random);
        run_pass(*averaged, {i}, random);
        const Weights last = plain->model();
        const Weights mean = averaged->model();
        for (std::size_t d = 0; d < task.dimension(); ++d) {
          ASSERT_NEAR(last[d], dense.last(d), 2e-5) << "weight " << d << ", step " << step;
          ASSERT_NEAR(mean[d], dense.average(d), 4e-5) << "weight " << d << ", step " << step;
        }
      }
    }
  }
}

TEST_P(ArowWithR, NoWeightEverBecomesLessSure) {
  for (const auto& [name, task] : small_problems(5)) {
    SCOPED_TRACE(name);
    const auto learner = make_arow(task, {.r = GetParam()});
    Random random(5);
    std::vector<float> before(task.dimension());
    bool gained = false;
    for (int step = 0; step < 60; ++step) {
      run_pass(*learner, {static_cast<std::uint32_t>(random.below(task.size()))}, random);
      const std::vector<float> after = precisions_of(*learner);
      ASSERT_EQ(after.size(), before.size());
      for (std::size_t d = 0; d < after.size(); ++d) {
        EXPECT_GE(after[d], before[d]) << "weight " << d << ", step " << step;
        gained |= after[d] > before[d];
      }
      before = after;
    }
    EXPECT_TRUE(gained);
  }
}

}  // namespace
}  // namespace hinge::test
