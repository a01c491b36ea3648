// Explanations of trees against scores of trees with one head or label changed,
// and feature texts against texts written by hand.
#include "hinge/tasks/dep/explain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tests/support/tree_world.h"

namespace hinge::dep {
namespace {

using test::Heads;
using test::TreeShape;
using test::TreeWorld;

constexpr TreeOptions kAnyTree{.algorithm = TreeAlgorithm::kChuLiuEdmonds, .single_root = false};
constexpr TreeOptions kSecond{.single_root = false, .order = 2};

const std::vector<TreeShape> kShapes = {
    TreeShape{.name = "Hashed", .options = {.single_root = false}, .labels = 3},
    TreeShape{.name = "HashedIntoManyRows", .options = kAnyTree, .labels = 17, .hash_bits = 16},
    TreeShape{.name = "Dictionary", .options = kAnyTree, .labels = 3, .hash_bits = 0},
    TreeShape{.name = "Unlabelled", .options = kAnyTree, .labels = 0},
    TreeShape{.name = "OneLabel", .options = kAnyTree, .labels = 1},
    TreeShape{.name = "SecondOrder", .options = kSecond},
    TreeShape{.name = "SecondOrderByDictionary", .options = kSecond, .labels = 0, .hash_bits = 0},
};

double sum(const Weights& w, const std::vector<FeatureId>& ids) {
  double total = 0.0;
  for (const FeatureId id : ids) total += w[id];
  return total;
}

Heads no_tree(HeadId /*modifier*/) { return {}; }

void expect_in_order(const Reasons& reasons) {
  double total = 0.0;
  double last = std::numeric_limits<double>::infinity();
  std::map<std::string, int> seen;
  for (const Contribution& one : reasons.contributions) {
    EXPECT_NE(one.amount, 0.0);
    EXPECT_LE(std::abs(one.amount), last);
    EXPECT_EQ(++seen[one.feature], 1) << one.feature;
    last = std::abs(one.amount);
    total += one.amount;
  }
  EXPECT_EQ(total, reasons.margin);
}

class EveryExplainer : public testing::TestWithParam<TreeShape> {
 protected:
  static LabelSet label_set() {
    LabelSet labels;
    for (std::size_t y = 0; y < GetParam().labels; ++y) labels.intern("label" + std::to_string(y));
    return labels;
  }
  static test::Labels any_labels(std::size_t words, std::size_t shift) {
    test::Labels labels(GetParam().labels == 0 ? 0 : words + 1, 0);
    for (std::size_t m = 1; m < labels.size(); ++m)
      labels[m] = static_cast<LabelId>((m + shift) % GetParam().labels);
    return labels;
  }
  // body(world, sentence, weights, explainer)
  template <typename Body>
  static void everywhere(const Body& body) {
    const LabelSet labels = label_set();
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      TreeWorld world(GetParam(), seed);
      const Weights w = world.random_weights();
      Explainer explainer(world.plan(), labels, {w.data(), w.data() + world.plan().layout.part_weights()});
      for (std::size_t s = 0; s < world.task().size(); ++s) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", sentence " + std::to_string(s));
        body(world, s, w, explainer);
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, EveryExplainer, testing::ValuesIn(kShapes),
                         [](const testing::TestParamInfo<TreeShape>& info) { return info.param.name; });

// The rival of a word is its head in a tree that differs only there.
TEST_P(EveryExplainer, PartsOfAHeadAddUpToTheDifferenceOfTwoTrees) {
  std::size_t compared = 0;
  everywhere([&](const TreeWorld& world, std::size_t s, const Weights& w, Explainer& explainer) {
    const auto& trees = world.trees(s);
    const test::Labels labels = any_labels(world.words(s), 0);
    for (std::size_t a = 0; a < trees.size(); ++a) {
      for (std::size_t b = 0; b < trees.size(); ++b) {
        const auto [here, there] = std::ranges::mismatch(trees[a], trees[b]);
        if (a == b || !std::equal(here + 1, trees[a].end(), there + 1)) continue;
        ++compared;
        const auto m = static_cast<std::size_t>(here - trees[a].begin());
        const auto all = explainer.explain(world.cells(s), {trees[a], labels}, {trees[b], {}}, no_tree);
        ASSERT_EQ(all.size(), world.words(s));
        EXPECT_EQ(all[m - 1].head, *here);
        EXPECT_EQ(all[m - 1].rival_head, *there);
        EXPECT_EQ(all[m - 1].of_head.margin,
                  sum(w, world.tree_features(s, a)) - sum(w, world.tree_features(s, b)));
        expect_in_order(all[m - 1].of_head);
      }
    }
  });
  EXPECT_GT(compared, 100u);
}

// Found by listing all trees.
std::size_t best_tree(const TreeWorld& world, std::size_t s, const Weights& w, HeadId modifier = 0,
                      HeadId but = 0) {
  std::size_t best = world.trees(s).size();
  for (std::size_t k = 0; k < world.trees(s).size(); ++k) {
    if (modifier > 0 && world.trees(s)[k][modifier] == but) continue;
    if (best == world.trees(s).size() || sum(w, world.tree_features(s, k)) > sum(w, world.tree_features(s, best)))
      best = k;
  }
  return best;
}

TEST_P(EveryExplainer, WithoutAGivenRivalComparesWithTheBestOtherTree) {
  std::size_t several = 0;
  everywhere([&](const TreeWorld& world, std::size_t s, const Weights& w, Explainer& explainer) {
    const auto& trees = world.trees(s);
    for (const std::size_t of_tree : {world.gold_tree(s), best_tree(world, s, w)}) {
      const Heads& heads = trees[of_tree];
      const auto best_other = [&](HeadId m) {
        const std::size_t k = best_tree(world, s, w, m, heads[m]);
        return k == trees.size() ? Heads() : trees[k];
      };
      const auto all = explainer.explain(world.cells(s), {heads, any_labels(world.words(s), 0)}, {}, best_other);
      for (HeadId m = 1; m <= world.words(s); ++m) {
        const Explanation& of = all[m - 1];
        EXPECT_EQ(of.head, heads[m]);
        const std::size_t other = best_tree(world, s, w, m, heads[m]);
        if (other == trees.size()) {
          EXPECT_EQ(of.rival_head, of.head);
          EXPECT_EQ(of.rival_heads, heads);
          EXPECT_TRUE(of.of_head.contributions.empty());
          continue;
        }
        EXPECT_NE(of.rival_head, of.head);
        EXPECT_EQ(of.rival_heads, trees[other]);
        EXPECT_EQ(of.rival_head, trees[other][m]);
        EXPECT_EQ(of.of_head.margin, sum(w, world.tree_features(s, of_tree)) - sum(w, world.tree_features(s, other)));
        expect_in_order(of.of_head);
        if (of_tree != world.gold_tree(s)) {
          EXPECT_GE(of.of_head.margin, 0.0);
        }
        std::size_t changed = 0;
        for (HeadId k = 1; k <= world.words(s); ++k) changed += heads[k] != of.rival_heads[k];
        several += changed > 1;
      }
    }
  });
  EXPECT_GT(several, 10u) << "else no rival changes other words, too";
}

TEST_P(EveryExplainer, PartsOfALabelAddUpToTheDifferenceToItsRival) {
  const std::size_t labels = GetParam().labels;
  everywhere([&](const TreeWorld& world, std::size_t s, const Weights& w, Explainer& explainer) {
    const Heads& gold = world.trees(s)[world.gold_tree(s)];
    const test::Labels chosen = any_labels(world.words(s), 0);
    const test::Labels others = any_labels(world.words(s), 1);
    for (const bool given : {false, true}) {
      const auto all =
          explainer.explain(world.cells(s), {gold, chosen}, given ? TreeView{gold, others} : TreeView{}, no_tree);
      for (std::size_t m = 1; m <= world.words(s); ++m) {
        const Explanation& of = all[m - 1];
        if (labels < 2) {
          EXPECT_EQ(of.rival_label, of.label);
          EXPECT_TRUE(of.of_label.contributions.empty());
          continue;
        }
        EXPECT_EQ(of.label, chosen[m]);
        const double rival = sum(w, world.label_features(s, gold, m, of.rival_label));
        EXPECT_EQ(of.of_label.margin, sum(w, world.label_features(s, gold, m, of.label)) - rival);
        expect_in_order(of.of_label);
        if (given) {
          EXPECT_EQ(of.rival_label, others[m]);
        }
        for (LabelId y = 0; !given && y < labels; ++y) {
          if (y != chosen[m]) {
            EXPECT_LE(sum(w, world.label_features(s, gold, m, y)), rival);
          }
        }
      }
    }
  });
}

// ---- Texts

// All weights are one, so that every feature of only one of the arcs counts.
class Texts : public testing::Test {
 protected:
  std::map<std::string, std::string> contributions_of(const std::string& templates, const Heads& heads,
                                                      int order, std::size_t word, HeadId rival,
                                                      bool of_label = false) {
    const ParserPlan plan(parse_factor_templates(templates, "templates"), {.order = order},
                          TreeLayout(10, 10, 2));
    LabelSet labels;
    labels.intern("a");
    labels.intern("b");
    Weights w(plan.layout.dimension());
    for (std::size_t k = 0; k < w.size(); ++k)
      w[k] = k < plan.layout.part_weights() ? 1.0f : static_cast<float>(k % 2);
    Explainer explainer(plan, labels, {w.data(), w.data() + plan.layout.part_weights()});
    Heads rivals = heads;
    rivals[word] = rival;
    const test::Labels chosen(heads.size(), 1);
    const auto all = explainer.explain(cells_, {heads, chosen}, {rivals, {}}, no_tree);
    std::map<std::string, std::string> contributions;
    for (const Contribution& one : (of_label ? all[word - 1].of_label : all[word - 1].of_head).contributions)
      contributions[one.feature] = one.chosen + "|" + one.rival;
    return contributions;
  }
  using Parts = std::map<std::string, std::string>;
  const std::vector<WordCells> cells_ = {
      {.form = "The", .lemma = "the", .upos = "DET", .xpos = "_", .feats = "Definite=Def"},
      {.form = "Dogs", .lemma = "dog", .upos = "NOUN", .xpos = "NNS", .feats = "_"},
      {.form = "often", .lemma = "_", .upos = "ADV", .xpos = "RB", .feats = "_"},
      {.form = "bark", .lemma = "bark", .upos = "VERB", .xpos = "VBP", .feats = "_"}};
  const Heads heads_ = {0, 2, 4, 4, 0};
};

TEST_F(Texts, HaveTheWordsFilledIn) {
  EXPECT_EQ(
      contributions_of("arc h.form m.lower\narc h-1.xpos\narc h+1.upos m-1.upos m-2.upos\n", heads_, 1, 1, 4),
      (Parts{{"h.form=Dogs m.lower=the", "left:1|-"},
             {"h.form=bark m.lower=the", "-|left:3"},
             {"h-1.xpos=DET", "left:1|-"},
             {"h-1.xpos=RB", "-|left:3"},
             {"h+1.upos=ADV m-1.upos=<root> m-2.upos=<start>", "left:1|-"},
             {"h+1.upos=<end> m-1.upos=<root> m-2.upos=<start>", "-|left:3"}}));
}

TEST_F(Texts, NameEveryValueBetweenTheTwoWordsOnce) {
  EXPECT_EQ(contributions_of("distances 1 2 4\narc h.prefix2 b.shape\n", heads_, 1, 4, 1),
            (Parts{{"h.prefix2=<root> b.shape=Xx", "right:4+|-"},
                   {"h.prefix2=<root> b.shape=x", "right:4+|-"},
                   {"h.prefix2=Th b.shape=Xx", "-|right:2-3"},
                   {"h.prefix2=Th b.shape=x", "-|right:2-3"}}));
}

TEST_F(Texts, OfLabelsSayWhoStandsAround) {
  EXPECT_EQ(contributions_of("arc h.form\nlabel m.form l.form n.lemma p.upos dir\nlabel g.upos dist\n",
                             heads_, 1, 2, 1, true),
            (Parts{{"label: m.form=Dogs l.form=The n.lemma=often p.upos=<none> dir=left", "b|a"},
                   {"label: g.upos=<root> dist=left:2", "b|a"}}));
}

// The head of "often" changes from "bark", with the left children "often" and "Dogs", to "Dogs".
TEST_F(Texts, OfSecondOrderHaveThePartsThatChangeWithTheArc) {
  EXPECT_EQ(contributions_of("arc h.form\nsibling h.form s.form m.form\ngrand g.form h.form m.form\n", heads_,
                             2, 3, 2),
            (Parts{{"h.form=bark", "left:1|-"},
                   {"h.form=Dogs", "-|right:1"},
                   {"sibling: h.form=bark s.form=<none> m.form=often", "left:1|-"},
                   {"sibling: h.form=bark s.form=often m.form=Dogs", "left:2|-"},
                   {"grand: g.form=<root> h.form=bark m.form=often", "left:1|-"},
                   {"sibling: h.form=bark s.form=<none> m.form=Dogs", "-|left:2"},
                   {"sibling: h.form=Dogs s.form=<none> m.form=often", "-|right:1"},
                   {"grand: g.form=bark h.form=Dogs m.form=often", "-|right:1"}}));
}

}  // namespace
}  // namespace hinge::dep
