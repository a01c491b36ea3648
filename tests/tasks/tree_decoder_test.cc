// Parsers against a list of all trees: the best tree, the best without forbidden
// arcs, and its best labels.
#include "hinge/tasks/dep/decoder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/tree_world.h"

namespace hinge::dep {
namespace {

using test::Heads;
using test::TreeShape;
using test::TreeWorld;

constexpr TreeOptions kAnyTree{.algorithm = TreeAlgorithm::kChuLiuEdmonds, .single_root = false};
constexpr TreeOptions kOneRoot{.algorithm = TreeAlgorithm::kChuLiuEdmonds, .single_root = true};
constexpr TreeOptions kManyRoots{.single_root = false};
constexpr TreeOptions kSecond{.order = 2};
constexpr TreeOptions kSecondManyRoots{.single_root = false, .order = 2};

// No more words than the pruner keeps heads, so that it prunes nothing.
const std::vector<TreeShape> kShapes = {
    TreeShape{.name = "Projective", .labels = 3, .longest = 6},
    TreeShape{.name = "ManyRoots", .options = kManyRoots, .longest = 5},
    TreeShape{.name = "AnyTree", .options = kAnyTree, .labels = 3, .longest = 5},
    TreeShape{.name = "AnyTreeOfOneRoot", .options = kOneRoot, .labels = 17, .longest = 5},
    TreeShape{.name = "Unlabelled", .labels = 0, .longest = 5},
    TreeShape{.name = "Dictionary", .hash_bits = 0, .longest = 5},
    TreeShape{.name = "SecondOrder", .options = kSecond, .labels = 3, .longest = 6},
    TreeShape{.name = "SecondOrderManyRoots", .options = kSecondManyRoots, .longest = 5},
    TreeShape{.name = "SecondOrderByDictionary", .options = kSecond, .hash_bits = 0, .longest = 5},
};

double sum(const Weights& w, const std::vector<FeatureId>& ids) {
  double total = 0.0;
  for (const FeatureId id : ids) total += w[id];
  return total;
}

// The score of the best tree accepted by `allows`, or kForbidden.
template <typename Allows>
double best_tree(const TreeWorld& world, std::size_t s, const Weights& w, const Allows& allows) {
  double best = kForbidden;
  for (std::size_t tree = 0; tree < world.trees(s).size(); ++tree) {
    if (allows(world.trees(s)[tree])) best = std::max(best, sum(w, world.tree_features(s, tree)));
  }
  return best;
}

double tree_score(const TreeWorld& world, std::size_t s, const Weights& w, const Heads& heads) {
  const auto place = std::ranges::find(world.trees(s), heads);
  if (place == world.trees(s).end()) return kForbidden;
  return sum(w, world.tree_features(s, static_cast<std::size_t>(place - world.trees(s).begin())));
}

class EveryKindOfParser : public testing::TestWithParam<TreeShape> {
 protected:
  // Calls body(world, sentence, weights, parser) with a reused parser.
  template <typename Body>
  void everywhere(const Body& body) const {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      TreeWorld world(GetParam(), seed);
      const Weights w = world.random_weights();
      const ParserPlan first(parse_factor_templates(GetParam().templates, "pruner"),
                             {.single_root = GetParam().options.single_root}, TreeLayout(5, 1, 0));
      Weights of_pruner(first.layout.dimension());
      Random random(seed);
      for (float& value : of_pruner.span()) value = static_cast<float>(random.uniform());
      const Pruner pruner{first, {of_pruner.data(), nullptr}};
      TreeDecoder parser(world.plan(), GetParam().options.order == 2 ? &pruner : nullptr);
      const ParserWeights weights{w.data(), w.data() + world.plan().layout.part_weights()};
      for (std::size_t s = 0; s < world.task().size(); ++s) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", sentence " + std::to_string(s));
        body(world, s, w, weights, parser);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
};

INSTANTIATE_TEST_SUITE_P(All, EveryKindOfParser, testing::ValuesIn(kShapes),
                         [](const testing::TestParamInfo<TreeShape>& info) { return info.param.name; });

TEST_P(EveryKindOfParser, FindsTheBestTreeAndTheBestLabelsInIt) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w, const ParserWeights& weights,
                TreeDecoder& parser) {
    parser.parse(world.data().sentence(s), weights);
    const Heads heads(parser.heads().begin(), parser.heads().end());
    ASSERT_EQ(tree_score(world, s, w, heads), best_tree(world, s, w, [](const Heads&) { return true; }));
    const std::size_t labels = world.plan().layout.labels();
    ASSERT_EQ(parser.labels().size(), labels == 0 ? 0 : heads.size());
    for (std::size_t m = 1; labels > 0 && m < heads.size(); ++m) {
      double best = -1e9;
      for (std::size_t y = 0; y < labels; ++y)
        best = std::max(best, sum(w, world.label_features(s, heads, m, static_cast<LabelId>(y))));
      EXPECT_EQ(sum(w, world.label_features(s, heads, m, parser.labels()[m])), best) << m;
    }
  });
}

TEST_P(EveryKindOfParser, FindsTheBestTreeWithoutForbiddenArcs) {
  Random random(3);
  std::size_t possible = 0;
  everywhere([&](const TreeWorld& world, std::size_t s, const Weights& w, const ParserWeights& weights,
                 TreeDecoder& parser) {
    const SentenceFields sentence = world.data().sentence(s);
    for (int trial = 0; trial < 5; ++trial) {
      parser.score(sentence, weights);
      std::set<std::pair<std::size_t, std::size_t>> forbidden;
      for (std::size_t h = 0; h <= world.words(s); ++h) {
        for (std::size_t m = 1; m <= world.words(s); ++m) {
          if (h == m || random.below(3) > 0) continue;
          parser.arc(h, m) = kForbidden;
          forbidden.insert({h, m});
        }
      }
      const double expected = best_tree(world, s, w, [&](const Heads& heads) {
        for (std::size_t m = 1; m < heads.size(); ++m) {
          if (forbidden.contains({heads[m], m})) return false;
        }
        return true;
      });
      const double found = parser.search(sentence, weights);
      if (expected == kForbidden) {
        EXPECT_LE(found, kForbidden / 2);
        continue;
      }
      ++possible;
      EXPECT_EQ(found, expected);
      EXPECT_EQ(tree_score(world, s, w, {parser.heads().begin(), parser.heads().end()}), expected);
    }
  });
  EXPECT_GT(possible, 0u);
}

TEST_P(EveryKindOfParser, SearchesAgainWithoutAnArcOfTheBestTree) {
  everywhere([](const TreeWorld& world, std::size_t s, const Weights& w, const ParserWeights& weights,
                TreeDecoder& parser) {
    const SentenceFields sentence = world.data().sentence(s);
    parser.score(sentence, weights);
    parser.search(sentence, weights);
    const Heads best(parser.heads().begin(), parser.heads().end());
    Heads other(best.size());
    for (std::size_t m = 1; m < best.size(); ++m) {
      const float kept = std::exchange(parser.arc(best[m], m), kForbidden);
      const double found = parser.search_again(weights, other);
      parser.arc(best[m], m) = kept;
      const double expected = best_tree(world, s, w, [&](const Heads& heads) { return heads[m] != best[m]; });
      if (expected == kForbidden) {
        EXPECT_LE(found, kForbidden / 2);
      } else {
        EXPECT_EQ(found, expected);
        EXPECT_EQ(tree_score(world, s, w, other), expected);
      }
    }
    EXPECT_TRUE(std::ranges::equal(parser.heads(), best));
  });
}

TEST(Pruner, LeavesAFewHeadsAWordAndThoseToKeep) {
  const ParserPlan plan(parse_factor_templates("arc h.form m.form\n", "pruner"), {}, TreeLayout(10, 1, 0));
  Weights w(plan.layout.dimension());
  Random random(2);
  for (float& value : w.span()) value = static_cast<float>(random.uniform());
  FieldHasher hasher(plan.templates);
  std::vector<Key> keys;
  hasher.add_root(keys);
  constexpr std::size_t kWords = 20;
  Heads keep(kWords + 1, 0);
  for (std::size_t m = 1; m <= kWords; ++m) {
    hasher.add_word({.form = std::to_string(m)}, keys);
    keep[m] = static_cast<HeadId>(m - 1);
  }
  TreeDecoder parser(plan);
  std::vector<SecondOrderScores::Arc> arcs;
  parser.prune({keys, hasher.fields()}, {w.data(), nullptr}, keep, nullptr, arcs);
  std::vector<std::size_t> heads(kWords + 1, 0);
  std::set<std::pair<HeadId, HeadId>> left;
  for (const auto& [head, modifier] : arcs) {
    ++heads[modifier];
    left.insert({head, modifier});
  }
  for (HeadId m = 1; m <= kWords; ++m) {
    EXPECT_GE(heads[m], kPrunedHeads);
    EXPECT_LE(heads[m], kPrunedHeads + 2);
    EXPECT_TRUE(left.contains({keep[m], m}));
    EXPECT_TRUE(left.contains({parser.heads()[m], m}));
  }
}

}  // namespace
}  // namespace hinge::dep
