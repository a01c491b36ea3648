#include "hinge/learn/ops.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/dense_qp.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

struct Variant {
  std::string regularizer;
  std::int64_t batch;
};

std::ostream& operator<<(std::ostream& out, const Variant& variant) {
  return out << variant.regularizer << ", batch " << variant.batch;
}

class OpsVariants : public testing::TestWithParam<Variant> {
 protected:
  Options options(const std::string& epochs, const std::string& lazy) const {
    return {{"C", "0.5"},
            {"eta", "0.1"},
            {"epochs", epochs},
            {"regularizer", GetParam().regularizer},
            {"batch", std::to_string(GetParam().batch)},
            {"lazy", lazy},
            {"tolerance", "0"}};
  }
};

INSTANTIATE_TEST_SUITE_P(
    All, OpsVariants, testing::Values(Variant{"l2", 1}, Variant{"l2", 4}, Variant{"l1", 1}, Variant{"l1", 4}),
    [](const auto& info) { return info.param.regularizer + "batch" + std::to_string(info.param.batch); });

TEST_P(OpsVariants, LateDecayEqualsDecayAtEveryUpdate) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      const TrainResult lazy = train_quietly(task, {.learner = "ops", .options = options("10", "true")});
      const TrainResult eager = train_quietly(task, {.learner = "ops", .options = options("10", "false")});
      for (std::size_t d = 0; d < task.dimension(); ++d)
        EXPECT_NEAR(lazy.weights[d], eager.weights[d], 2e-6) << "weight " << d;
    }
  }
}

// Algorithm 1 of Kummerfeld et al. with every weight updated every time, in
// double; decoding sees the weights as floats, as the learner's decoder does.
class NaiveOps {
 public:
  NaiveOps(const EnumeratedTask& task, double C, double eta, bool l1, std::size_t batch)
      : task_(task), eta_(eta), l1_(l1), batch_(batch), w_(task.dimension()), q_(task.dimension(), 1e-6) {
    lambda_ = static_cast<double>(batch) / (C * static_cast<double>(task.size()));
  }

  void pass(const std::vector<std::uint32_t>& order) {
    for (std::size_t begin = 0; begin < order.size(); begin += batch_) {
      std::vector<double> g(w_.size());
      Weights seen(w_.size());
      for (std::size_t d = 0; d < w_.size(); ++d) seen[d] = static_cast<float>(w_[d]);
      for (std::size_t b = begin; b < std::min(begin + batch_, order.size()); ++b) add(order[b], seen, g);
      update(g);
    }
  }

  const std::vector<double>& weights() const { return w_; }

 private:
  void add(std::size_t i, const Weights& seen, std::vector<double>& g) const {
    Scratch scratch;
    Cut cut;
    task_.most_violated(i, seen, /*loss_weight=*/1.0, scratch, cut);
    for (const Entry& entry : cut.psi.entries()) g[entry.id] -= entry.value;
  }

  void update(const std::vector<double>& g) {
    for (std::size_t d = 0; d < w_.size(); ++d) {
      q_[d] += g[d] * g[d];
      const double root = std::sqrt(q_[d]);
      if (l1_) {
        const double u = w_[d] - eta_ / root * g[d];
        w_[d] = std::copysign(std::max(0.0, std::abs(u) - eta_ * lambda_ / root), u);
      } else {
        w_[d] = (w_[d] * root - eta_ * g[d]) / (eta_ * lambda_ + root);
      }
    }
  }

  const EnumeratedTask& task_;
  double eta_;
  bool l1_;
  std::size_t batch_;
  double lambda_;
  std::vector<double> w_;
  std::vector<double> q_;
};

TEST_P(OpsVariants, FollowsAlgorithm1WrittenOutPlainly) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      const auto batch = static_cast<std::size_t>(GetParam().batch);
      NaiveOps naive(task, 0.5, 0.1, GetParam().regularizer == "l1", batch);
      Workers workers(1);
      const auto learner = configured("ops", options("1", "true"))->start(task, workers);
      Random random(seed);
      std::vector<std::uint32_t> order;
      for (std::uint32_t i = 0; i < task.size(); ++i) order.push_back(i);
      for (int pass = 0; pass < 3; ++pass) {
        random.shuffle(std::span(order));
        naive.pass(order);
        run_pass(*learner, order, random);
        const Weights w = learner->model();
        for (std::size_t d = 0; d < task.dimension(); ++d)
          ASSERT_NEAR(w[d], naive.weights()[d], 1e-5) << "weight " << d << " after pass " << pass;
      }
    }
  }
}

// A subgradient method with steps of eta / sqrt(t) ends about as far from the
// optimum as its last steps are long: 1e-3 needs a small eta and many epochs,
// 1e-5 is unreachable.
void expect_optimum(const EnumeratedTask& task, const Options& more, bool l1, double tolerance) {
  const Optimum optimum = dense_optimum(
      task, {.loss = Loss::kL1, .C = 0.5, .l2 = l1 ? 0.0 : 1.0, .l1 = l1 ? 1.0 : 0.0}, l1 ? 1e-6 : 1e-8);
  Options options{{"C", "0.5"}, {"eta", "0.03"}, {"epochs", "5000"}, {"regularizer", l1 ? "l1" : "l2"}};
  options.insert(options.end(), more.begin(), more.end());
  const TrainResult result =
      train_quietly(task, {.learner = "ops", .options = options, .objective = ObjectiveWhen::kEnd});
  const double relative = result.history.back().objective->primal / optimum.value - 1.0;
  EXPECT_GE(relative, -1e-6);
  EXPECT_LE(relative, tolerance);
}

TEST(Ops, BatchesThatDivideTheDataReachTheOptimum) {
  expect_optimum(random_multiclass(3, 20, 4, 6), {{"batch", "4"}}, /*l1=*/false, 1e-3);
  expect_optimum(random_chains(3, 12, 3, 3), {{"batch", "3"}}, /*l1=*/false, 1e-3);
}

// A pass of ceil(n / b) updates must still apply the regularizer exactly once.
TEST(Ops, BatchesThatDoNotDivideTheDataReachTheSameOptimum) {
  expect_optimum(random_multiclass(3, 13, 4, 6), {{"batch", "4"}}, /*l1=*/false, 1e-3);
  expect_optimum(random_multiclass(3, 9, 4, 6), {{"batch", "8"}}, /*l1=*/false, 1e-3);
}

TEST(Ops, TheL1RegularizerReachesItsOptimum) {
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    for (const auto& [name, task] : small_problems(seed)) {
      SCOPED_TRACE(name);
      expect_optimum(task, {{"epochs", "3000"}}, /*l1=*/true, 5e-3);
    }
  }
}

std::size_t zeros(const Weights& w) {
  return static_cast<std::size_t>(std::count(w.span().begin(), w.span().end(), 0.0f));
}

TEST(Ops, TheL1RegularizerMakesExactZerosWhereTheL2RegularizerDoesNot) {
  const Options options{{"C", "0.2"}, {"epochs", "200"}};
  for (const auto& [name, task] : small_problems(4)) {
    SCOPED_TRACE(name);
    Options l1 = options;
    l1.emplace_back("regularizer", "l1");
    const Weights sparse = train_quietly(task, {.learner = "ops", .options = l1}).weights;
    const Weights dense = train_quietly(task, {.learner = "ops", .options = options}).weights;
    EXPECT_GE(zeros(sparse), task.dimension() / 4);
    // At most two stay zero under l2: features that distinguish no rival from gold.
    EXPECT_LE(zeros(dense), 2u);
  }
}

// If C |sum psi|_inf is too small to move any weight, w = 0 is the optimum.
TEST(Ops, TheL1RegularizerKeepsAllWeightsAtZeroWhereCIsSmall) {
  const EnumeratedTask task = random_multiclass(2, 10, 3, 5);
  const TrainResult result = train_quietly(
      task, {.learner = "ops", .options = {{"C", "0.001"}, {"epochs", "20"}, {"regularizer", "l1"}}});
  EXPECT_EQ(zeros(result.weights), task.dimension());
}

TEST(Ops, ABatchLargerThanTheDataIsTheWholeData) {
  const EnumeratedTask task = random_multiclass(5, 7, 3, 4);
  const auto weights = [&](const std::string& batch) {
    return train_quietly(task, {.learner = "ops", .options = {{"batch", batch}, {"epochs", "4"}}}).weights;
  };
  const Weights whole = weights("7");
  const Weights larger = weights("1000");
  for (std::size_t d = 0; d < task.dimension(); ++d) EXPECT_EQ(whole[d], larger[d]);
}

}  // namespace
}  // namespace hinge::test
