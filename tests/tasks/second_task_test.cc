// SecondTask against a list of all projective trees of the candidate arcs, each
// with the features of its siblings and grandparents read off the tree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/support/dense_qp.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/training.h"
#include "tests/support/tree_world.h"

namespace hinge::test {
namespace {

using dep::SecondScorer;

constexpr dep::TreeOptions kSecond{.order = 2};
constexpr dep::TreeOptions kManyRoots{.single_root = false, .order = 2};
constexpr dep::TreeOptions kHeadsCost{.label_cost = false, .order = 2};

// Far apart enough for every bin of the distances of grandparents.
const std::string kManyBins = "distances 1 2 3 4 5 6 7\narc m.upos\ngrand g.upos m.upos\ngrand h.form\n";

std::string many_parts() {
  std::string text = kSmallTemplates;  // more than a vector of each
  for (int k = -8; k <= 9; ++k) {
    text += "sibling h.upos s" + std::to_string(k) + ".upos m.upos\n";
    text += "grand g" + std::to_string(k) + ".upos m.upos\n";
  }
  return text;
}

const std::vector<TreeShape> kShapes = {
    TreeShape{.name = "AllArcs", .options = kSecond, .longest = 5},
    TreeShape{.name = "Pruned", .options = kSecond, .longest = 5, .pruned = true},
    TreeShape{.name = "Unlabelled", .options = kSecond, .labels = 0, .longest = 6, .pruned = true},
    TreeShape{.name = "ManyRoots", .options = kManyRoots, .costly = true},
    TreeShape{.name = "ManyRootsPruned", .options = kManyRoots, .labels = 3, .costly = true, .pruned = true},
    TreeShape{.name = "OnlyHeadsCost", .options = kHeadsCost, .labels = 3, .costly = true},
    TreeShape{.name = "ManyBits", .options = kSecond, .hash_bits = 11, .label_bits = 8},
    TreeShape{.name = "Dictionary", .options = kSecond, .labels = 0, .hash_bits = 0, .longest = 5},
    TreeShape{.name = "DictionaryPruned", .options = kSecond, .hash_bits = 0, .costly = true, .pruned = true},
    TreeShape{.name = "ManyParts", .templates = many_parts(), .options = kSecond, .hash_bits = 6},
    TreeShape{.name = "ManyBins", .templates = kManyBins, .options = kManyRoots, .labels = 0, .longest = 7},
    TreeShape{.name = "NoParts", .templates = "arc h.form m.form\n", .options = kSecond, .labels = 0},
};

class SecondTaskShapes : public testing::TestWithParam<TreeShape> {
 protected:
  template <typename Body>
  void everywhere(const Body& body) const {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      TreeWorld world(GetParam(), seed);
      for (std::size_t s = 0; s < world.task().size(); ++s) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", sentence " + std::to_string(s));
        body(world, s, world.random_weights());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, SecondTaskShapes, testing::ValuesIn(kShapes),
                         [](const testing::TestParamInfo<TreeShape>& info) { return info.param.name; });

TEST_P(SecondTaskShapes, TheRivalMaximizesScorePlusWeightedLossAmongTreesOfCandidates) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    const double of_gold = world.gold_score(s, w);
    for (const double loss_weight : {0.0, 1.0, 0.5, 4.0, -1.0}) {
      const Cut cut = cut_at(world.task(), s, w, loss_weight);
      double best = -1e9;
      bool explained = false;
      world.each_output(s, w, [&](const LabelledTree& output) {
        best = std::max(best, output.score + loss_weight * output.loss);
        if (explained || output.loss != cut.loss || output.score != of_gold - cut.margin) return;
        explained = same_features(cut.psi, world.psi(s, output.tree, output.labels));
      });
      EXPECT_EQ(of_gold - cut.margin + loss_weight * cut.loss, best) << "loss weight " << loss_weight;
      EXPECT_TRUE(explained) << "no tree has this psi and loss; loss weight " << loss_weight;
      EXPECT_EQ(cut.margin, dot(w, cut.psi));
    }
  });
}

TEST_P(SecondTaskShapes, ARivalThatIsGoldHasNoFeaturesAndNoLoss) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    const Cut cut = cut_at(world.task(), s, w, -4096.0);
    EXPECT_EQ(cut.loss, 0.0);
    bool alone = true;
    world.each_output(s, w, [&](const LabelledTree& output) {
      const bool gold = output.tree == world.gold_tree(s) && output.labels == world.gold_labels(s);
      alone = alone && (gold || output.loss > 0.0);
    });
    EXPECT_TRUE(!alone || cut.psi.empty());
  });
}

TEST_P(SecondTaskShapes, WeightsOutsideTheSupportAreNotRead) {
  everywhere([&](const TreeWorld& world, std::size_t s, const Weights& w) {
    std::vector<Block> blocks;
    world.task().support(s, blocks);
    Weights disturbed(w.size());
    for (std::size_t d = 0; d < w.size(); ++d) disturbed[d] = d % 2 == 0 ? 1e6f : -1e6f;
    for (const Block& block : blocks) {
      ASSERT_LE(block.first + block.count, w.size());
      std::copy_n(w.data() + block.first, block.count, disturbed.data() + block.first);
    }
    for (const double loss_weight : {0.0, 1.0}) {
      const Cut before = cut_at(world.task(), s, w, loss_weight);
      const Cut after = cut_at(world.task(), s, disturbed, loss_weight);
      EXPECT_TRUE(std::ranges::equal(before.psi.entries(), after.psi.entries()));
      EXPECT_EQ(before.loss, after.loss);
      EXPECT_EQ(before.margin, after.margin);
    }
  });
}

// A learner that is told so can stop; a decoder that crashes tells nobody.
TEST_P(SecondTaskShapes, WeightsThatAreNoNumbersShowInTheMargin) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Random random(9);
  everywhere([&](const TreeWorld& world, std::size_t s, const Weights& w) {
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), kInfinity, -kInfinity}) {
      Weights damaged = w;
      for (float& value : damaged.span()) value = random.below(4) == 0 ? wrong : value;
      EXPECT_GE(cut_at(world.task(), s, damaged, 1.0).loss, 0.0);
      for (float& value : damaged.span()) value = wrong;
      EXPECT_TRUE(std::isnan(cut_at(world.task(), s, damaged, 1.0).margin)) << wrong;
    }
  });
}

TEST_P(SecondTaskShapes, AScratchUsedBeforeGivesTheSameCutAsAFreshOne) {
  TreeWorld world(GetParam(), 3, 10);
  const auto used = world.task().make_scratch();
  const Weights w = world.random_weights();
  Cut reused;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t s = 0; s < world.task().size(); ++s) {
      world.task().most_violated(s, w, 1.0, *used, reused);
      const Cut fresh = cut_at(world.task(), s, w, 1.0);
      EXPECT_TRUE(std::ranges::equal(reused.psi.entries(), fresh.psi.entries())) << "sentence " << s;
      EXPECT_EQ(reused.loss, fresh.loss);
      EXPECT_EQ(reused.margin, fresh.margin);
    }
  }
}

TEST_P(SecondTaskShapes, EveryInstructionSetFindsTheSame) {
  TreeWorld world(GetParam(), 4, 6);
  const Weights w = world.random_weights();
  for (std::size_t s = 0; s < world.task().size(); ++s) {
    const Cut first = cut_at(world.task(), s, w, 1.0);
    each_instruction_set([&](const char* name) {
      const Cut cut = cut_at(world.task(), s, w, 1.0);
      EXPECT_TRUE(std::ranges::equal(cut.psi.entries(), first.psi.entries())) << name;
      EXPECT_EQ(cut.loss, first.loss) << name;
    });
  }
}

TEST_P(SecondTaskShapes, DcdEndsAtTheOptimumOfTheSameProblemEnumerated) {
  if (GetParam().hash_bits > 4) return;
  TreeShape shape = GetParam();
  shape.longest = 3;
  shape.labels = std::min<std::size_t>(shape.labels, 2);
  TreeWorld world(shape, 5, 8);
  const EnumeratedTask enumerated = world.enumerated();
  const ObjectiveKind kind{.loss = Loss::kL2, .C = 0.1};
  const Optimum optimum = dense_optimum(enumerated, kind);
  const TrainResult result =
      train_quietly(world.task(), {.learner = "dcd",
                                   .options = {{"C", "0.1"}, {"epochs", "400"}, {"tolerance", "1e-6"}},
                                   .objective = ObjectiveWhen::kEnd});
  EXPECT_NEAR(result.history.back().objective->primal, optimum.value, 1e-4 * optimum.value + 1e-9);
}

TEST(SecondTask, OffersNeitherListsNorSums) {
  const TreeWorld world({.name = "", .options = kSecond}, 1);
  EXPECT_EQ(world.task().k_best(), nullptr);
  EXPECT_EQ(world.task().marginals(), nullptr);
}

using Arcs = std::set<std::pair<HeadId, HeadId>>;

Arcs chosen(const ArcMatrix& arcs, const Heads& best, const Heads& keep, std::size_t most) {
  std::vector<SecondOrderScores::Arc> list{{7, 7}};  // of a sentence before
  dep::choose_arcs(arcs.scores(true), best, keep, most, list);
  Arcs result;
  std::pair<HeadId, HeadId> last{0, 0};
  for (const auto& [head, modifier] : list) {
    EXPECT_TRUE((std::pair{head, modifier} > last)) << "not sorted, or twice";
    last = {head, modifier};
    result.insert(last);
  }
  return result;
}

TEST(ChooseArcs, KeepsTheBestHeadsOfEachWordAndTheArcsOfTwoTrees) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t words = 1 + random.below(6);
    ArcMatrix arcs = random_arcs_with_ties(random, words, 3);
    forbid_some(random, arcs, 4);
    const auto& trees = all_trees(words, {});
    const Heads best = trees[random.below(trees.size())];
    const Heads keep = seed % 3 == 0 ? Heads() : trees[random.below(trees.size())];
    for (const std::size_t most : {1, 2, 4, 10}) {
      Arcs expected;
      for (HeadId m = 1; m <= words; ++m) {
        std::vector<std::pair<float, HeadId>> heads;
        for (HeadId h = 0; h <= words; ++h) {
          if (h != m && arcs.at(h, m) > kForbidden / 2) heads.emplace_back(-arcs.at(h, m), h);
        }
        std::ranges::sort(heads);
        for (std::size_t k = 0; k < std::min(most, heads.size()); ++k) expected.insert({heads[k].second, m});
        expected.insert({best[m], m});
        if (!keep.empty()) expected.insert({keep[m], m});
      }
      EXPECT_EQ(chosen(arcs, best, keep, most), expected) << most;
    }
  }
}

}  // namespace
}  // namespace hinge::test
