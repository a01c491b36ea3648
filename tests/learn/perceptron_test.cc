#include "hinge/learn/perceptron.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/support/dense_qp.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

// The textbook perceptron: adds all of w to the average after every step.
class NaivePerceptron {
 public:
  explicit NaivePerceptron(const EnumeratedTask& task)
      : task_(task), w_(task.dimension()), total_(task.dimension()) {}

  void step(std::size_t i) {
    Scratch scratch;
    Cut cut;
    Weights seen(w_.size());
    for (std::size_t d = 0; d < w_.size(); ++d) seen[d] = static_cast<float>(w_[d]);
    task_.most_violated(i, seen, /*loss_weight=*/0.0, scratch, cut);
    for (const Entry& entry : cut.psi.entries()) w_[entry.id] += entry.value;
    for (std::size_t d = 0; d < w_.size(); ++d) total_[d] += w_[d];
    ++steps_;
  }

  const std::vector<double>& last() const { return w_; }
  std::vector<double> average() const {
    std::vector<double> mean = total_;
    for (double& value : mean) value /= steps_;
    return mean;
  }

 private:
  const EnumeratedTask& task_;
  std::vector<double> w_;
  std::vector<double> total_;
  double steps_ = 0.0;
};

TEST(Perceptron, TheLazyAverageIsTheMeanOfTheWeightsAfterEveryStep) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      NaivePerceptron naive(task);
      Workers workers(1);
      const auto averaged = make_perceptron(task, {.average = true}, workers);
      const auto plain = make_perceptron(task, {.average = false}, workers);
      Random random(seed);
      for (int step = 0; step < 150; ++step) {
        const auto i = static_cast<std::uint32_t>(random.below(task.size()));
        naive.step(i);
        run_pass(*averaged, {i}, random);
        run_pass(*plain, {i}, random);
        const Weights mean = averaged->model();
        const Weights last = plain->model();
        for (std::size_t d = 0; d < task.dimension(); ++d) {
          ASSERT_NEAR(mean[d], naive.average()[d], 2e-5) << "weight " << d << ", step " << step;
          ASSERT_NEAR(last[d], naive.last()[d], 1e-5) << "weight " << d << ", step " << step;
        }
      }
    }
  }
}

// Novikoff: at most (R / gamma)^2 mistakes, R the longest psi and gamma the
// margin of any unit vector that separates.
TEST(Perceptron, SeparatesWhatCanBeSeparatedWithinNovikoffsBound) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    const EnumeratedTask task = separable_multiclass(seed, 30, 4, 6);
    const Optimum witness = dense_optimum(task, {.loss = Loss::kL2, .C = 100.0}, 1e-4);
    const double length =
        std::sqrt(std::inner_product(witness.w.begin(), witness.w.end(), witness.w.begin(), 0.0));
    double gamma = std::numeric_limits<double>::infinity();
    double radius = 0.0;
    for (std::size_t i = 0; i < task.size(); ++i) {
      for (std::size_t c = 1; c < task.examples()[i].size(); ++c) {
        const Cut cut = task.cut_of(i, c);
        double margin = 0.0;
        for (const Entry& entry : cut.psi.entries()) margin += witness.w[entry.id] * entry.value;
        gamma = std::min(gamma, margin / length);
        radius = std::max(radius, squared_norm(cut.psi));
      }
    }
    ASSERT_GT(gamma, 0.0) << "the problem was meant to be separable";

    const TrainResult result =
        train_quietly(task, {.learner = "perceptron", .options = {{"epochs", "500"}, {"average", "false"}}});
    std::int64_t mistakes = 0;
    for (const EpochReport& report : result.history) mistakes += report.updates;
    EXPECT_LE(static_cast<double>(mistakes), radius / (gamma * gamma));
    EXPECT_EQ(result.history.back().updates, 0);
    EXPECT_EQ(result.history.back().loss, 0.0);

    Scratch scratch;
    for (std::size_t i = 0; i < task.size(); ++i) {
      Cut cut;
      task.most_violated(i, result.weights, /*loss_weight=*/0.0, scratch, cut);
      EXPECT_TRUE(cut.psi.empty()) << "example " << i;
    }
  }
}

TEST(Perceptron, HasNoObjectiveOfItsOwn) {
  const EnumeratedTask task = random_multiclass(1, 6, 3, 3);
  Workers workers(1);
  const auto learner = make_perceptron(task, {}, workers);
  EXPECT_FALSE(learner->objective().C.has_value());
  EXPECT_FALSE(learner->dual().has_value());
}

}  // namespace
}  // namespace hinge::test
