// Pairs of hypotheses as a task with two outputs, against direct computation.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/corpus/nbest/builder.h"
#include "hinge/tasks/rerank/pairs.h"

namespace hinge::rerank {
namespace {

struct World {
  NBestLists lists;
  std::vector<float> costs;
};

// The feature "cost" equals the cost, so that cuts show which pairs a task keeps.
World random_world(std::uint64_t seed, std::size_t lists, std::size_t hypotheses) {
  Random random(seed);
  NBestBuilder builder;
  for (const char* name : {"cost", "a", "b"}) builder.feature(name);
  std::vector<float> costs;
  for (std::uint64_t id = 0; id < lists; ++id) {
    for (std::size_t k = 0; k < hypotheses; ++k) {
      costs.push_back(static_cast<float>(random.below(1000)) / 1000.0f);
      Hypothesis hypothesis{.id = id, .text = "x", .entries = {{0, costs.back()}}, .score = {}, .cost = {}};
      for (std::uint32_t f = 1; f < 3; ++f)
        hypothesis.entries.push_back({f, static_cast<float>(random.uniform() * 2 - 1)});
      builder.add(hypothesis, {});
    }
  }
  return {builder.finish(), costs};
}

Weights random_weights(std::uint64_t seed) {
  Random random(seed);
  Weights w(3);
  for (std::size_t f = 0; f < 3; ++f) w[f] = static_cast<float>(random.uniform() * 2 - 1);
  return w;
}

// The cost difference of every pair kept, in order of lists.
std::vector<double> differences(const PairTask& task) {
  std::vector<double> result;
  const Weights zero(3);
  Scratch scratch;
  Cut cut;
  for (std::size_t i = 0; i < task.size(); ++i) {
    task.most_violated(i, zero, 1.0, scratch, cut);
    double difference = 0.0;
    for (const Entry& entry : cut.psi.entries()) difference -= entry.id == 0 ? entry.value : 0.0f;
    result.push_back(difference);
  }
  return result;
}

TEST(PairTask, KeepsThePairsOfAListThatDifferMost) {
  const World world = random_world(1, 1, 12);
  // Enough draws to include every pair.
  const PairData pairs =
      make_pairs(world.lists, world.costs, {.sampled = 20000, .kept = 20000, .least = 0.3});
  const PairTask task(pairs, 3);
  std::map<double, int> found;
  for (const double difference : differences(task)) ++found[std::round(difference * 1000)];
  std::map<double, int> expected;
  for (std::size_t a = 0; a < 12; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double difference = std::abs(world.costs[a] - world.costs[b]);
      if (difference >= 0.3) ++expected[std::round(difference * 1000)];
    }
  }
  ASSERT_EQ(found.size(), expected.size());
  for (const auto& [difference, count] : found) EXPECT_TRUE(expected.contains(difference)) << difference;

  const PairData few_pairs =
      make_pairs(world.lists, world.costs, {.sampled = 20000, .kept = 5, .least = 0.0});
  const PairTask few(few_pairs, 3);
  ASSERT_EQ(few.size(), 5u);
  for (const double difference : differences(few))
    EXPECT_EQ(std::round(difference * 1000), expected.rbegin()->first);
}

TEST(PairTask, TheBetterOneIsGoldAndTheCutIsTheirDifference) {
  const World world = random_world(2, 4, 10);
  const PairData pairs = make_pairs(world.lists, world.costs, {.sampled = 50, .kept = 10, .least = 0.05});
  const PairTask task(pairs, 3);
  Scratch scratch;
  Cut cut;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Weights w = random_weights(seed);
    for (std::size_t i = 0; i < task.size(); ++i) {
      task.most_violated(i, Weights(3), 1.0, scratch, cut);
      const SparseVector psi = to_sparse(cut.psi);
      EXPECT_LT(psi.entries()[0].value, -0.049f);  // its cost is lower
      for (const double loss_weight : {0.0, 0.5, 1.0}) {
        task.most_violated(i, w, loss_weight, scratch, cut);
        const double margin = dot(w, psi);
        EXPECT_EQ(cut.loss, loss_weight >= margin ? 1.0 : 0.0);
        EXPECT_EQ(cut.psi.empty(), loss_weight < margin);
        if (!cut.psi.empty()) {
          EXPECT_NEAR(cut.margin, margin, 1e-6);
        }
      }
    }
  }
}

TEST(PairTask, ItsLikelihoodIsThatOfTwoOutputsAndHasTheGradientItSays) {
  const World world = random_world(3, 3, 10);
  const PairData pairs = make_pairs(world.lists, world.costs, {.sampled = 20, .kept = 5, .least = 0.05});
  const PairTask task(pairs, 3);
  Scratch scratch;
  Cut cut;
  Expectation expectation;
  for (std::size_t i = 0; i < task.size(); ++i) {
    for (const double loss_weight : {0.0, 1.0}) {
      Weights w = random_weights(i + 1);
      task.most_violated(i, Weights(3), 1.0, scratch, cut);
      const SparseVector psi = to_sparse(cut.psi);
      task.expect(i, w, loss_weight, scratch, expectation);
      const double margin = dot(w, psi);
      EXPECT_NEAR(expectation.log_loss, std::log(1.0 + std::exp(loss_weight - margin)), 1e-6);
      EXPECT_NEAR(expectation.expected_loss, 1.0 / (1.0 + std::exp(margin - loss_weight)), 1e-6);
      Weights gradient(3);
      expectation.gradient.add_to(1.0, gradient);
      for (std::size_t f = 0; f < 3; ++f) {
        const float kept = w[f];
        const float step = 1.0f / 256;
        const auto loss_at = [&](float value) {
          w[f] = value;
          Expectation there;
          task.expect(i, w, loss_weight, scratch, there);
          return there.log_loss;
        };
        const double slope = (loss_at(kept + step) - loss_at(kept - step)) / (2.0 * step);
        w[f] = kept;
        EXPECT_NEAR(gradient[f], slope, 1e-4);
      }
    }
  }
}

TEST(PairTask, ListsWithoutSuchPairsAreRefused) {
  const World world = random_world(4, 2, 1);
  EXPECT_THROW(make_pairs(world.lists, world.costs, {}), InputError);
}

}  // namespace
}  // namespace hinge::rerank
