// TreeTask's distributions over trees against a list of all labelled trees, and
// gradients against finite differences.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/tree_world.h"

namespace hinge::test {
namespace {

using dep::TreeAlgorithm;

constexpr dep::TreeOptions kAnyTree{.algorithm = TreeAlgorithm::kChuLiuEdmonds, .single_root = false};
constexpr dep::TreeOptions kOneRoot{.algorithm = TreeAlgorithm::kChuLiuEdmonds, .single_root = true};
constexpr dep::TreeOptions kManyRoots{.single_root = false};
constexpr dep::TreeOptions kHeadsCost{.label_cost = false};

const std::vector<TreeShape> kShapes = {
    TreeShape{.name = "Projective"},
    TreeShape{.name = "Unlabelled", .labels = 0, .longest = 5},
    TreeShape{.name = "OneLabel", .labels = 1, .longest = 5},
    TreeShape{.name = "MoreLabelsThanLanes", .labels = 17, .longest = 2},
    TreeShape{.name = "ManyRoots", .options = kManyRoots, .costly = true},
    TreeShape{.name = "AnyTree", .options = kAnyTree},
    TreeShape{.name = "AnyTreeOfOneRoot", .options = kOneRoot, .labels = 3, .costly = true},
    TreeShape{.name = "AnyTreeUnlabelled", .options = kAnyTree, .labels = 0, .longest = 5, .costly = true},
    TreeShape{.name = "OnlyHeadsCost", .options = kHeadsCost, .labels = 3, .costly = true},
    TreeShape{.name = "ManyBits", .hash_bits = 9, .label_bits = 7},
    TreeShape{.name = "Dictionary", .hash_bits = 0, .costly = true},
};

Expectation expectation_at(const Task& task, std::size_t s, const Weights& w, double loss_weight) {
  const auto scratch = task.make_scratch();
  Expectation expectation;
  find_extension<MarginalTask>(task)->expect(s, w, loss_weight, *scratch, expectation);
  return expectation;
}

// The Expectation, by listing all labelled trees.
struct Listed {
  double log_loss;
  double expected_loss = 0.0;
  std::vector<double> gradient;  // [weights]
};

Listed listed(const TreeWorld& world, std::size_t s, const Weights& w, double loss_weight) {
  double total = 0.0;
  world.each_output(
      s, w, [&](const LabelledTree& output) { total += std::exp(output.score + loss_weight * output.loss); });
  Listed result{.log_loss = std::log(total) - world.gold_score(s, w),
                .gradient = std::vector<double>(w.size())};
  // Probabilities are summed first, so that features are added once per tree and label.
  std::vector<double> p_tree(world.trees(s).size());
  const std::size_t labels = world.plan().layout.labels();
  std::vector<double> p_label((world.words(s) + 1) * labels);
  world.each_output(s, w, [&](const LabelledTree& output) {
    const double p = std::exp(output.score + loss_weight * output.loss) / total;
    result.expected_loss += p * output.loss;
    p_tree[output.tree] += p;
    for (std::size_t m = 1; m < output.labels.size(); ++m) p_label[m * labels + output.labels[m]] += p;
  });
  for (std::size_t tree = 0; tree < p_tree.size(); ++tree) {
    for (const FeatureId id : world.tree_features(s, tree)) result.gradient[id] += p_tree[tree];
  }
  for (std::size_t k = labels; k < p_label.size(); ++k) {
    for (const FeatureId id : world.label_features(s, k / labels, static_cast<LabelId>(k % labels)))
      result.gradient[id] += p_label[k];
  }
  const SparseVector gold = world.features(s, world.gold_tree(s), world.gold_labels(s));
  for (const Entry& entry : gold.entries()) result.gradient[entry.id] -= entry.value;
  return result;
}

class TreeSums : public testing::TestWithParam<TreeShape> {
 protected:
  template <typename Body>
  void everywhere(const Body& body) const {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      TreeWorld world(GetParam(), seed);
      for (std::size_t s = 0; s < world.task().size(); ++s) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", sentence " + std::to_string(s));
        body(world, s, world.random_weights());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, TreeSums, testing::ValuesIn(kShapes),
                         [](const testing::TestParamInfo<TreeShape>& info) { return info.param.name; });

TEST_P(TreeSums, AreThoseOfAListOfAllTrees) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    const auto scratch = world.task().make_scratch();
    Expectation given;
    given.gradient.values(1)[0] = 7.0f;  // left over from an earlier call
    given.gradient.add_row(0);
    for (const double loss_weight : {0.0, 1.0, 2.5}) {
      const Listed wanted = listed(world, s, w, loss_weight);
      find_extension<MarginalTask>(world.task())->expect(s, w, loss_weight, *scratch, given);
      EXPECT_NEAR(given.log_loss, wanted.log_loss, 1e-5 * (1.0 + wanted.log_loss));
      EXPECT_NEAR(given.expected_loss, wanted.expected_loss, 2e-5 * (1.0 + wanted.expected_loss));
      Weights gradient(w.size());
      given.gradient.add_to(1.0, gradient);
      for (std::size_t d = 0; d < w.size(); ++d) EXPECT_NEAR(gradient[d], wanted.gradient[d], 1e-4) << d;
    }
  });
}

TEST_P(TreeSums, TheGradientIsThatOfFiniteDifferences) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    for (const double loss_weight : {0.0, 1.0}) {
      Weights gradient(w.size());
      expectation_at(world.task(), s, w, loss_weight).gradient.add_to(1.0, gradient);
      const std::size_t step = w.size() / 20 + 1;
      for (std::size_t d = s % step; d < w.size(); d += step) {
        constexpr float kStep = 1.0f / 64;
        Weights up = w;
        Weights down = w;
        up[d] += kStep;
        down[d] -= kStep;
        const double slope = (expectation_at(world.task(), s, up, loss_weight).log_loss -
                              expectation_at(world.task(), s, down, loss_weight).log_loss) /
                             (2.0 * kStep);
        EXPECT_NEAR(gradient[d], slope, 5e-3) << d;
      }
    }
  });
}

TEST_P(TreeSums, GoldSupportIsTheFeaturesOfGold) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    std::vector<Block> blocks;
    find_extension<MarginalTask>(world.task())->gold_support(s, *world.task().make_scratch(), blocks);
    std::vector<bool> named(w.size());
    for (const Block& block : blocks) {
      ASSERT_LE(block.first + block.count, w.size());
      std::fill_n(named.begin() + block.first, block.count, true);
    }
    std::vector<bool> expected(w.size());
    const SparseVector gold = world.features(s, world.gold_tree(s), world.gold_labels(s));
    for (const Entry& entry : gold.entries()) expected[entry.id] = true;
    EXPECT_EQ(named, expected);
  });
}

TEST_P(TreeSums, WeightsThatAreNoNumbersShowInTheLogLoss) {
  Random random(9);
  everywhere([&](const TreeWorld& world, std::size_t s, const Weights& w) {
    for (const float wrong :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      Weights damaged = w;
      for (float& value : damaged.span()) value = random.below(4) == 0 ? wrong : value;
      (void)expectation_at(world.task(), s, damaged, 1.0);
      for (float& value : damaged.span()) value = wrong;
      EXPECT_TRUE(std::isnan(expectation_at(world.task(), s, damaged, 1.0).log_loss));
    }
  });
}

TEST_P(TreeSums, LargeWeightsLeaveProbabilitiesProbabilities) {
  everywhere([](const TreeWorld& world, std::size_t s, Weights w) {
    for (float& value : w.span()) value *= 500.0f;
    const Expectation given = expectation_at(world.task(), s, w, 1.0);
    EXPECT_TRUE(std::isfinite(given.log_loss));
    EXPECT_GE(given.log_loss, 0.0);
    double best = -1e9;
    world.each_output(s, w,
                      [&](const LabelledTree& output) { best = std::max(best, output.score + output.loss); });
    EXPECT_NEAR(given.log_loss, best - world.gold_score(s, w), 1e-4 * std::abs(best) + 10.0);
    EXPECT_GE(given.expected_loss, 0.0);
    Weights gradient(w.size());
    given.gradient.add_to(1.0, gradient);
    for (const float value : gradient.span()) EXPECT_TRUE(std::isfinite(value));
  });
}

}  // namespace
}  // namespace hinge::test
