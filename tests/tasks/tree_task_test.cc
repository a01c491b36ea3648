// TreeTask against a list of all labelled trees, SecondTask against a list of all
// projective trees of its candidate arcs, with sibling and grandparent features
// read from the tree. Scores are exact in floats (tests/support/tree_world.h), so
// values are compared for equality.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/dense_qp.h"
#include "tests/support/instruction_sets.h"
#include "tests/support/task_checks.h"
#include "tests/support/training.h"
#include "tests/support/tree_world.h"

namespace hinge::test {
namespace {

using dep::ParserPlan;
using dep::TreeAlgorithm;
using dep::TreeData;
using dep::TreeTask;

constexpr dep::TreeOptions kAnyTree{.algorithm = TreeAlgorithm::kChuLiuEdmonds, .single_root = false};
constexpr dep::TreeOptions kOneRoot{.algorithm = TreeAlgorithm::kChuLiuEdmonds, .single_root = true};
constexpr dep::TreeOptions kManyRoots{.single_root = false};
constexpr dep::TreeOptions kHeadsCost{.label_cost = false};

const std::vector<TreeShape> kShapes = {
    TreeShape{.name = "Projective", .longest = 5},
    TreeShape{.name = "Unlabelled", .labels = 0, .longest = 5},
    TreeShape{.name = "OneLabel", .labels = 1, .longest = 5},
    TreeShape{.name = "ThreeLabels", .labels = 3},
    TreeShape{.name = "MoreLabelsThanLanes", .labels = 17, .longest = 2},
    TreeShape{.name = "ManyRoots", .options = kManyRoots},
    TreeShape{.name = "AnyTree", .options = kAnyTree, .longest = 5},
    TreeShape{.name = "AnyTreeOfOneRoot", .options = kOneRoot, .labels = 3, .costly = true},
    TreeShape{.name = "AnyTreeUnlabelled", .options = kAnyTree, .labels = 0, .longest = 5, .costly = true},
    TreeShape{.name = "Costly", .costly = true},
    TreeShape{.name = "OnlyHeadsCost", .options = kHeadsCost, .labels = 3, .costly = true},
    TreeShape{.name = "ManyBits", .hash_bits = 11, .label_bits = 9},
    TreeShape{.name = "OneBit", .hash_bits = 1, .label_bits = 1, .costly = true},
    TreeShape{.name = "Dictionary", .hash_bits = 0, .costly = true},
    TreeShape{.name = "DictionaryOfAnyTrees", .options = kAnyTree, .labels = 0, .hash_bits = 0},
};

constexpr dep::TreeOptions kSecond{.order = 2};
constexpr dep::TreeOptions kSecondManyRoots{.single_root = false, .order = 2};
constexpr dep::TreeOptions kSecondHeadsCost{.label_cost = false, .order = 2};

// Fills every distance bin of grandparent features.
const std::string kManyBins = "distances 1 2 3 4 5 6 7\narc m.upos\ngrand g.upos m.upos\ngrand h.form\n";

std::string many_parts() {
  std::string text = kSmallTemplates;  // more than a vector of each
  for (int k = -8; k <= 9; ++k) {
    text += "sibling h.upos s" + std::to_string(k) + ".upos m.upos\n";
    text += "grand g" + std::to_string(k) + ".upos m.upos\n";
  }
  return text;
}

const std::vector<TreeShape> kSecondShapes = {
    TreeShape{.name = "AllArcs", .options = kSecond, .longest = 5},
    TreeShape{.name = "Pruned", .options = kSecond, .longest = 5, .pruned = true},
    TreeShape{.name = "Unlabelled", .options = kSecond, .labels = 0, .longest = 6, .pruned = true},
    TreeShape{.name = "ManyRoots", .options = kSecondManyRoots, .costly = true},
    TreeShape{
        .name = "ManyRootsPruned", .options = kSecondManyRoots, .labels = 3, .costly = true, .pruned = true},
    TreeShape{.name = "OnlyHeadsCost", .options = kSecondHeadsCost, .labels = 3, .costly = true},
    TreeShape{.name = "ManyBits", .options = kSecond, .hash_bits = 11, .label_bits = 8},
    TreeShape{.name = "Dictionary", .options = kSecond, .labels = 0, .hash_bits = 0, .longest = 5},
    TreeShape{.name = "DictionaryPruned", .options = kSecond, .hash_bits = 0, .costly = true, .pruned = true},
    TreeShape{.name = "ManyParts", .templates = many_parts(), .options = kSecond, .hash_bits = 6},
    TreeShape{
        .name = "ManyBins", .templates = kManyBins, .options = kSecondManyRoots, .labels = 0, .longest = 7},
    TreeShape{.name = "NoParts", .templates = "arc h.form m.form\n", .options = kSecond, .labels = 0},
};

class TreeTaskShapes : public testing::TestWithParam<TreeShape> {
 protected:
  // Calls body(world, sentence, weights) for many random worlds.
  template <typename Body>
  void everywhere(const Body& body) const {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      TreeWorld world(GetParam(), seed);
      for (std::size_t s = 0; s < world.task().size(); ++s) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", sentence " + std::to_string(s));
        body(world, s, world.random_weights());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

std::string shape_name(const testing::TestParamInfo<TreeShape>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, TreeTaskShapes, testing::ValuesIn(kShapes), shape_name);
INSTANTIATE_TEST_SUITE_P(Second, TreeTaskShapes, testing::ValuesIn(kSecondShapes), shape_name);

TEST_P(TreeTaskShapes, TheRivalMaximizesScorePlusWeightedLossAmongAllLabelledTrees) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    const double of_gold = world.gold_score(s, w);
    for (const double loss_weight : {0.0, 1.0, 0.5, 4.0, -1.0}) {
      const Cut cut = cut_at(world.task(), s, w, loss_weight);
      double best = -1e9;
      bool explained = false;
      world.each_output(s, w, [&](const LabelledTree& output) {
        best = std::max(best, output.score + loss_weight * output.loss);
        if (explained || output.loss != cut.loss || output.score != of_gold - cut.margin) return;
        explained = same_features(to_sparse(cut.psi), world.psi(s, output.tree, output.labels));
      });
      EXPECT_EQ(of_gold - cut.margin + loss_weight * cut.loss, best) << "loss weight " << loss_weight;
      EXPECT_TRUE(explained) << "no tree has this psi and loss; loss weight " << loss_weight;
      EXPECT_EQ(cut.margin, dot(w, cut.psi));
    }
  });
}

TEST_P(TreeTaskShapes, ZeroWeightsAndAHugeLossWeightFindTheMostExpensiveTree) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    double highest = 0.0;
    world.each_output(s, w, [&](const LabelledTree& tree) { highest = std::max(highest, tree.loss); });
    EXPECT_EQ(cut_at(world.task(), s, Weights(w.size()), 1.0).loss, highest);
    EXPECT_EQ(cut_at(world.task(), s, w, 4096.0).loss, highest);
  });
}

TEST_P(TreeTaskShapes, ARivalThatIsGoldHasNoFeaturesAndNoLoss) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    double least = 1e9;
    world.each_output(s, w, [&](const LabelledTree& output) {
      if (output.tree != world.gold_tree(s) || output.labels != world.gold_labels(s))
        least = std::min(least, output.loss);
    });
    for (const Cut& cut :
         {cut_at(world.task(), s, Weights(w.size()), -1.0), cut_at(world.task(), s, w, -4096.0)}) {
      EXPECT_EQ(cut.loss, 0.0);
      EXPECT_TRUE(least == 0.0 || cut.psi.empty());  // other trees may also cost nothing
    }
  });
}

TEST_P(TreeTaskShapes, TheKBestAreTheFirstOfAllTreesWithTheirBestLabels) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    const KBestTask* task = find_extension<KBestTask>(world.task());
    const dep::TreeOptions& options = world.plan().options;
    ASSERT_EQ(task != nullptr, options.algorithm == TreeAlgorithm::kEisner && options.order == 1);
    if (task == nullptr) return;
    const double of_gold = world.gold_score(s, w);
    const auto scratch = world.task().make_scratch();
    for (const double loss_weight : {0.0, 1.0}) {
      std::vector<double> scores(world.trees(s).size(), -1e9);
      world.each_output(s, w, [&](const LabelledTree& tree) {
        scores[tree.tree] = std::max(scores[tree.tree], tree.score + loss_weight * tree.loss);
      });
      std::ranges::sort(scores, std::greater<>());
      for (const std::size_t k : {std::size_t{1}, std::size_t{3}, scores.size(), scores.size() + 5}) {
        std::vector<Cut> cuts(2);  // left over from an earlier call
        task->most_violated_k(s, w, loss_weight, k, *scratch, cuts);
        ASSERT_EQ(cuts.size(), std::min(k, scores.size()));
        for (std::size_t r = 0; r < cuts.size(); ++r) {
          EXPECT_EQ(of_gold - cuts[r].margin + loss_weight * cuts[r].loss, scores[r]) << "rank " << r;
          EXPECT_EQ(cuts[r].margin, dot(w, cuts[r].psi));
        }
        const Cut best = cut_at(world.task(), s, w, loss_weight);
        EXPECT_EQ(best.loss, cuts[0].loss);
        EXPECT_TRUE(std::ranges::equal(best.psi.entries(), cuts[0].psi.entries()));
      }
    }
  });
}

TEST_P(TreeTaskShapes, KOfMoreThanThereAreListsEveryTreeOnce) {
  if (GetParam().options.algorithm != TreeAlgorithm::kEisner || GetParam().options.order == 2) return;
  if (GetParam().hash_bits != 11) return;  // where each tree has distinct features
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    const auto scratch = world.task().make_scratch();
    std::vector<Cut> cuts;
    find_extension<KBestTask>(world.task())->most_violated_k(s, w, 1.0, 1000, *scratch, cuts);
    std::vector<std::vector<Entry>> found;
    for (Cut& cut : cuts) {
      SparseVector arcs;
      for (const Entry& entry : cut.psi.entries()) {
        if (entry.id < world.plan().layout.part_weights()) arcs.add(entry.id, entry.value);
      }
      arcs.merge();
      found.emplace_back(arcs.entries().begin(), arcs.entries().end());
    }
    std::vector<std::vector<Entry>> expected;
    for (std::size_t tree = 0; tree < world.trees(s).size(); ++tree) {
      const SparseVector psi = world.psi(s, tree, world.gold_labels(s));
      expected.emplace_back(psi.entries().begin(), psi.entries().end());
    }
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& psi : expected) EXPECT_TRUE(std::ranges::find(found, psi) != found.end());
  });
}

TEST_P(TreeTaskShapes, WeightsOutsideTheSupportAreNotRead) {
  std::size_t outside = 0;
  everywhere([&](const TreeWorld& world, std::size_t s, const Weights& w) {
    outside += expect_support_is_all_that_is_read(world.task(), s, w);
  });
  EXPECT_TRUE(outside > 0 || GetParam().hash_bits <= 4);
}

TEST_P(TreeTaskShapes, BlocksOfTheSupportThatOverlapCoincide) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w) {
    std::vector<Block> blocks;
    world.task().support(s, *world.task().make_scratch(), blocks);
    std::vector<const Block*> owner(w.size(), nullptr);
    for (const Block& block : blocks) {
      for (std::size_t id = block.first; id < block.first + block.count; ++id) {
        if (owner[id] != nullptr) {
          ASSERT_EQ(owner[id]->first, block.first);
          ASSERT_EQ(owner[id]->count, block.count);
        }
        owner[id] = &block;
      }
    }
  });
}

// A learner can stop at a NaN margin; a crashing decoder would report nothing.
TEST_P(TreeTaskShapes, WeightsThatAreNoNumbersShowInTheMargin) {
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

TEST_P(TreeTaskShapes, AScratchUsedBeforeGivesTheSameCutAsAFreshOne) {
  TreeWorld world(GetParam(), 3, 10);
  expect_scratch_can_be_used_again(world.task(), world.random_weights());
}

TEST_P(TreeTaskShapes, EveryInstructionSetFindsTheSame) {
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

TEST_P(TreeTaskShapes, DcdEndsAtTheOptimumOfTheSameProblemEnumerated) {
  if (GetParam().hash_bits > 4) return;  // one small problem of each kind is enough for the reference
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
  const Objective& end = result.history.back().objective.value();
  EXPECT_NEAR(end.primal, optimum.value, 1e-4 * optimum.value + 1e-9);
  EXPECT_NEAR(end.dual.value(), optimum.value, 1e-4 * optimum.value + 1e-9);
}

TEST(TreeTask, AnEmptySentenceGivesAnEmptyCut) {
  for (const TreeAlgorithm algorithm : {TreeAlgorithm::kEisner, TreeAlgorithm::kChuLiuEdmonds}) {
    const ParserPlan plan(parse_factor_templates(kSmallTemplates, "small"), {.algorithm = algorithm},
                          dep::TreeLayout(4, 3, 2));
    TreeData data;
    data.fields = plan.templates.fields.size();
    std::vector<Key> keys;
    FieldHasher(plan.templates).add_root(keys);
    data.keys.append(keys);
    data.heads = {0};
    data.labels = {0};
    data.costs = {1.0f};
    data.begin.push_back(1);
    EXPECT_EQ(data.words(), 0u);
    const TreeTask task(data, plan);
    const Cut cut = cut_at(task, 0, Weights(task.dimension()), 1.0);
    EXPECT_TRUE(cut.psi.empty());
    EXPECT_EQ(cut.loss, 0.0);
    std::vector<Block> blocks;
    task.support(0, *task.make_scratch(), blocks);
    const auto scratch = task.make_scratch();
    std::vector<Cut> cuts(3);
    task.most_violated_k(0, Weights(task.dimension()), 1.0, 5, *scratch, cuts);
    for (const Cut& listed : cuts) EXPECT_TRUE(listed.psi.empty());
  }
}

}  // namespace
}  // namespace hinge::test
