// Stochastic gradient with batches that all shards fill (learn/steps/batch_learner.h).
// That ranks and threads change no byte is tested for all learners in shards_test.cc.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "hinge/core/communicator.h"
#include "hinge/learn/steps/gradient_bytes.h"
#include "tests/support/dense_likelihood.h"
#include "tests/support/dense_qp.h"
#include "tests/support/training.h"

namespace hinge::test {
namespace {

double end_of(const Task& task, const std::string& learner, const Options& options) {
  const TrainResult result =
      train_quietly(task, {.learner = learner, .options = options, .objective = ObjectiveWhen::kEnd});
  return result.history.back().objective->primal;
}

TEST(SynchronousBatches, EndNearTheOptimumOfTheDenseSolver) {
  const RankScope scope(solitary(), 4);
  const Options options{{"C", "0.5"}, {"epochs", "5000"}, {"eta", "0.03"}, {"batch", "6"}};
  const Options bottou{{"C", "0.5"}, {"epochs", "10000"}, {"average", "true"}, {"batch", "6"}};
  for (const auto& [name, task] : small_problems(1)) {
    SCOPED_TRACE(name);
    const double hinge = dense_optimum(task, {.loss = Loss::kL1, .C = 0.5}).value;
    EXPECT_NEAR(end_of(task, "ops", options), hinge, 2e-3 * hinge);
    EXPECT_NEAR(end_of(task, "sgd", bottou), hinge, 2e-3 * hinge);
    const double log = dense_likelihood_optimum(task, {.loss = Loss::kSoftmaxMargin, .C = 0.5}).value;
    EXPECT_NEAR(end_of(task, "softmax-margin", options), log, 1e-3 * log);
  }
}

TEST(SynchronousBatches, AreAsExactLazilyAsEagerly) {
  const RankScope scope(solitary(), 4);
  for (const auto& [name, task] : small_problems(3)) {
    SCOPED_TRACE(name);
    const auto weights = [&problem = task](const std::string& lazy) {
      const Options options{{"epochs", "10"}, {"batch", "5"}, {"tolerance", "0"}, {"lazy", lazy}};
      return train_quietly(problem, {.learner = "ops", .options = options}).weights;
    };
    const Weights lazy = weights("true");
    const Weights eager = weights("false");
    EXPECT_GT(squared_norm(lazy), 0.0);
    for (std::size_t d = 0; d < lazy.size(); ++d) EXPECT_NEAR(lazy[d], eager[d], 1e-4);
  }
}

// Smaller batches would leave shards without an example.
TEST(SynchronousBatches, HoldAnExampleOfEveryShard) {
  const EnumeratedTask task = random_multiclass(3, 40, 3, 8);
  const RankScope scope(solitary(), 4);
  for (const std::string learner : {"ops", "sgd"}) {
    SCOPED_TRACE(learner);
    const auto weights = [&](const std::string& batch) {
      return train_quietly(task, {.learner = learner, .options = {{"epochs", "3"}, {"batch", batch}}}).weights;
    };
    const Weights one = weights("1");
    const Weights four = weights("4");
    const Weights eight = weights("8");
    EXPECT_TRUE(std::ranges::equal(one.span(), four.span()));
    EXPECT_FALSE(std::ranges::equal(one.span(), eight.span()));
  }
}

// A batch is decoded under the weights it begins with; then its examples take their steps
// one by one: w <- (1 - eta / (C n)) w + eta psi, with Bottou's eta.
TEST(SynchronousBatches, OfSgdTakeTheStepsOfTheirExamples) {
  constexpr double kC = 0.2, kEta0 = 0.25;
  constexpr std::size_t kBatch = 6, kShards = 3, kExamples = 24;
  const EnumeratedTask task = random_multiclass(5, kExamples, 4, 10);
  std::vector<std::uint32_t> order(kExamples);
  std::iota(order.begin(), order.end(), 0u);
  for (const std::size_t shards : {std::size_t{1}, kShards}) {
    SCOPED_TRACE(shards);
    const RankScope scope(solitary(), shards);
    Workers workers(2);
    const auto learner = configured("sgd", {{"C", "0.2"}, {"eta0", "0.25"}, {"batch", "6"}})->start(task, workers);
    Weights w(task.dimension());
    const auto scratch = task.make_scratch();
    double t = 0.0;
    Random random(1);
    for (int pass = 0; pass < 3; ++pass) {
      run_pass(*learner, order, random);
      for (std::size_t begin = 0; begin < kExamples; begin += kBatch) {
        std::vector<Cut> cuts(kBatch);
        for (std::size_t b = 0; b < kBatch; ++b) {
          // Two of each shard.
          const std::size_t i = shards == 1 ? begin + b : b / 2 * (kExamples / kShards) + begin / kShards + b % 2;
          task.most_violated(i, w, 1.0, *scratch, cuts[b]);
        }
        for (const Cut& cut : cuts) {
          const double lambda = 1.0 / (kC * kExamples);
          const double eta = kEta0 / std::pow(1.0 + kEta0 * lambda * t, 0.75);
          for (float& value : w.span()) value = static_cast<float>(value * (1.0 - eta * lambda));
          axpy(eta, cut.psi, w);
          t += 1.0;
        }
      }
    }
    const Weights found = learner->model();
    EXPECT_GT(squared_norm(w), 0.0);
    for (std::size_t d = 0; d < w.size(); ++d) EXPECT_NEAR(found[d], w[d], 1e-5);
  }
}

TEST(GradientBytes, BringBackSinglesAndBlocks) {
  Gradient sent;
  sent.add(70, 2.5f);
  sent.add(3, -1.0f);
  const std::span<float> block = sent.add_block(16, 32);
  for (std::size_t k = 0; k < block.size(); ++k) block[k] = static_cast<float>(k) - 7.5f;
  sent.merge();
  Bytes bytes;
  put_gradient(sent, bytes);
  std::span<const std::byte> in(bytes);
  Gradient received;
  received.add(5, 1.0f);  // replaced
  take_gradient(in, received);
  EXPECT_TRUE(in.empty());
  Weights expected(80);
  Weights found(80);
  axpy(1.0, sent, expected);
  axpy(1.0, received, found);
  EXPECT_TRUE(std::ranges::equal(expected.span(), found.span()));
  EXPECT_EQ(found[70], 2.5f);
  EXPECT_EQ(found[16], -7.5f);
}

}  // namespace
}  // namespace hinge::test
