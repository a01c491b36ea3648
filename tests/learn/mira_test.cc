#include "hinge/learn/mira.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"
#include "tests/support/dense_qp.h"
#include "tests/support/training.h"
#include "tests/support/wrapped_task.h"

namespace hinge::test {
namespace {

Weights in_float(const std::vector<double>& w) {
  Weights result(w.size());
  for (std::size_t d = 0; d < w.size(); ++d) result[d] = static_cast<float>(w[d]);
  return result;
}

// Eidelman, Algorithm 1, in double, with a directly computed average.
class NaiveMira {
 public:
  NaiveMira(const EnumeratedTask& task, double C)
      : task_(task), C_(C), w_(task.dimension()), total_(task.dimension()) {}

  void step(std::size_t i) {
    Scratch scratch;
    Cut cut;
    task_.most_violated(i, in_float(w_), /*loss_weight=*/1.0, scratch, cut);
    cut.psi.merge();
    double margin = 0.0;
    for (const Entry& entry : cut.psi.entries()) margin += w_[entry.id] * entry.value;
    const double norm = squared_norm(cut.psi);
    const double tau = norm == 0.0 ? 0.0 : std::min(C_, std::max(0.0, cut.loss - margin) / norm);
    for (const Entry& entry : cut.psi.entries()) w_[entry.id] += tau * entry.value;
    for (std::size_t d = 0; d < w_.size(); ++d) total_[d] += w_[d];
    ++steps_;
  }

  const std::vector<double>& last() const { return w_; }
  double average(std::size_t d) const { return total_[d] / steps_; }

 private:
  const EnumeratedTask& task_;
  double C_;
  std::vector<double> w_;
  std::vector<double> total_;
  double steps_ = 0.0;
};

Workers& workers() {
  static Workers one(1);
  return one;
}

class MiraWithC : public testing::TestWithParam<double> {};
INSTANTIATE_TEST_SUITE_P(Bounds, MiraWithC, testing::Values(0.01, 0.2, 5.0));

TEST_P(MiraWithC, OneRivalAtATimeIsTheClosedFormStepByStep) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      NaiveMira naive(task, GetParam());
      const auto averaged = make_mira(task, {.C = GetParam(), .average = true}, workers());
      const auto plain = make_mira(task, {.C = GetParam(), .average = false}, workers());
      Random random(seed);
      for (int step = 0; step < 100; ++step) {
        const auto i = static_cast<std::uint32_t>(random.below(task.size()));
        naive.step(i);
        run_pass(*averaged, {i}, random);
        run_pass(*plain, {i}, random);
        const Weights mean = averaged->model();
        const Weights last = plain->model();
        for (std::size_t d = 0; d < task.dimension(); ++d) {
          ASSERT_NEAR(last[d], naive.last()[d], 1e-5) << "weight " << d << ", step " << step;
          ASSERT_NEAR(mean[d], naive.average(d), 2e-5) << "weight " << d << ", step " << step;
        }
      }
    }
  }
}

// One step of k-best MIRA as a separate problem: all rivals of one example,
// relative to w.
struct Projection {
  Projection(const EnumeratedTask& task, std::size_t i, const Weights& w, double C)
      : C(C), from(in_double(w)) {
    for (std::size_t c = 1; c < task.examples()[i].size(); ++c) cuts.push_back(task.cut_of(i, c));
    for (const Cut& a : cuts) {
      violation.push_back(a.loss - dot(w, a.psi));
      for (const Cut& b : cuts) gram.push_back(dot(a.psi, b.psi));
    }
  }

  std::vector<double> solution() const {
    const std::vector<double> alpha = dense_simplex_qp(gram, violation, C);
    std::vector<double> w = from;
    for (std::size_t j = 0; j < cuts.size(); ++j) {
      for (const Entry& entry : cuts[j].psi.entries()) w[entry.id] += alpha[j] * entry.value;
    }
    return w;
  }

  // 1/2 |w - from|^2 + C max(0, max_y [Delta - w . psi])
  double value(const std::vector<double>& w) const {
    double distance = 0.0;
    for (std::size_t d = 0; d < w.size(); ++d) distance += (w[d] - from[d]) * (w[d] - from[d]);
    double slack = 0.0;
    for (const Cut& cut : cuts) {
      double margin = 0.0;
      for (const Entry& entry : cut.psi.entries()) margin += w[entry.id] * entry.value;
      slack = std::max(slack, cut.loss - margin);
    }
    return 0.5 * distance + C * slack;
  }

  double C;
  std::vector<double> from;
  std::vector<Cut> cuts;
  std::vector<double> gram;
  std::vector<double> violation;
};

TEST_P(MiraWithC, WithAllRivalsAtOnceItIsTheProjectionOntoAllConstraints) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      const auto learner = make_mira(task, {.C = GetParam(), .k = 1000, .average = false}, workers());
      Random random(seed);
      for (int step = 0; step < 30; ++step) {
        const auto i = static_cast<std::uint32_t>(random.below(task.size()));
        const Projection projection(task, i, learner->model(), GetParam());
        run_pass(*learner, {i}, random);
        const std::vector<double> stepped = in_double(learner->model());
        const std::vector<double> expected = projection.solution();
        for (std::size_t d = 0; d < expected.size(); ++d)
          ASSERT_NEAR(stepped[d], expected[d], 1e-4) << "weight " << d << ", step " << step;
        EXPECT_NEAR(projection.value(stepped), projection.value(expected), 1e-5 * GetParam());
      }
    }
  }
}

TEST_P(MiraWithC, TwoCopiesOfOneRivalMakeTheStepOfOne) {
  const EnumeratedTask single = random_multiclass(3, 8, 2, 4);
  std::vector<std::vector<Candidate>> doubled = single.examples();
  for (std::vector<Candidate>& candidates : doubled) candidates.push_back(candidates[1]);
  const EnumeratedTask twice(doubled, single.dimension());
  const auto closed = make_mira(single, {.C = GetParam(), .k = 1, .average = false}, workers());
  const auto by_qp = make_mira(twice, {.C = GetParam(), .k = 3, .average = false}, workers());
  Random random(3);
  for (std::uint32_t step = 0; step < 40; ++step) {
    run_pass(*closed, {step % 8}, random);
    run_pass(*by_qp, {step % 8}, random);
    for (std::size_t d = 0; d < single.dimension(); ++d)
      ASSERT_NEAR(by_qp->model()[d], closed->model()[d], 1e-5) << "weight " << d << ", step " << step;
  }
}

TEST(Mira, AfterAStepTheRivalKeepsItsDistanceUnlessCHoldsItBack) {
  const EnumeratedTask task = random_multiclass(7, 12, 4, 5);
  for (const double C : {0.05, 100.0}) {
    const auto learner = make_mira(task, {.C = C, .average = false}, workers());
    Random random(7);
    for (std::uint32_t step = 0; step < 60; ++step) {
      Scratch scratch;
      Cut cut;
      task.most_violated(step % 12, learner->model(), /*loss_weight=*/1.0, scratch, cut);
      run_pass(*learner, {step % 12}, random);
      if (cut.psi.empty()) continue;
      const double left = cut.loss - dot(learner->model(), cut.psi);
      cut.psi.merge();
      const double tau = cut.violation() / squared_norm(cut.psi);
      EXPECT_NEAR(
          left, tau > C ? cut.violation() - C * squared_norm(cut.psi) : std::min(0.0, cut.violation()), 1e-5);
    }
  }
}

TEST(Mira, ANegativeLossAnywhereInTheListIsCaught) {
  std::vector<std::vector<Candidate>> examples = random_multiclass(1, 6, 4, 3).examples();
  examples[5][2].loss = -0.5;
  const EnumeratedTask task(examples, 12);
  const auto learner = make_mira(task, {.k = 4}, workers());
  Random random(1);
  EXPECT_NO_THROW(run_pass(*learner, {0, 1, 2, 3, 4}, random));
  EXPECT_THROW(run_pass(*learner, {5}, random), InputError);
}

TEST(Mira, SeveralRivalsNeedATaskWithKBestOutputs) {
  const EnumeratedTask inner = random_multiclass(1, 4, 3, 3);
  const WrappedTask task(inner);
  Workers workers(1);
  EXPECT_NO_THROW(configured("mira", {{"k", "1"}})->start(task, workers));
  try {
    configured("mira", {{"k", "5"}})->start(task, workers);
    ADD_FAILURE() << "not noticed";
  } catch (const OptionError& error) {
    EXPECT_NE(std::string(error.what()).find("k is 5"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace hinge::test
