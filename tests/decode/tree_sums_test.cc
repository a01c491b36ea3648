// Sums over trees, projective or all, against enumeration; where there are too
// many trees, the two methods of computing sums against each other.
#include <gtest/gtest.h>

#include <functional>
#include <type_traits>

#include "hinge/decode/chu_liu_edmonds.h"
#include "hinge/decode/eisner.h"
#include "hinge/decode/inside_outside.h"
#include "hinge/decode/matrix_tree.h"
#include "tests/support/all_trees.h"
#include "tests/support/tree_sums.h"

namespace hinge::test {
namespace {

template <typename Sums>
constexpr bool kProjective = std::is_same_v<Sums, InsideOutside>;

template <typename Sums>
using BestTree = std::conditional_t<kProjective<Sums>, Eisner, ChuLiuEdmonds>;

template <typename Sums>
TreeKind kind_of(bool single_root) {
  return {.projective = kProjective<Sums>, .single_root = single_root};
}

struct SumsName {
  template <typename Sums>
  static std::string GetName(int) {
    return kProjective<Sums> ? "InsideOutside" : "MatrixTree";
  }
};

template <typename Sums>
class TreeSums : public testing::Test {};
using BothSums = testing::Types<InsideOutside, MatrixTree>;
TYPED_TEST_SUITE(TreeSums, BothSums, SumsName);

void each_small_sentence(const std::function<void(Random&, std::size_t, bool)>& body) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::size_t words = random.below(7);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << words << " words");
    body(random, words, seed % 2 == 1);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(TreeSums, SumsOverAllTrees) {
  each_small_sentence([](Random& random, std::size_t words, bool single_root) {
    const ArcMatrix arcs = random_arcs(random, words, 5.0);
    const TreeTotals expected = enumerate_sums(arcs, kind_of<TypeParam>(single_root));
    TypeParam sums;
    const TreeTotals scaled = run(sums, arcs, single_root);
    ASSERT_TRUE(sums.scaled());
    ASSERT_NO_FATAL_FAILURE(expect_same(scaled, expected, 1e-7));
    ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs<TypeParam>(arcs, single_root), expected, 1e-7));
    ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, scaled));
  });
}

TYPED_TEST(TreeSums, TakesScoresOfAnySize) {
  int scaled = 0;
  int in_logs = 0;
  for (const double range : {30.0, 100.0, 300.0, 1e3, 1e4, 1e6})
    each_small_sentence([&](Random& random, std::size_t words, bool single_root) {
      SCOPED_TRACE(testing::Message() << "scores to " << range);
      const ArcMatrix arcs = random_arcs(random, words, range);
      const TreeTotals expected = enumerate_sums(arcs, kind_of<TypeParam>(single_root));
      TypeParam sums;
      const TreeTotals found = run(sums, arcs, single_root);
      (sums.scaled() ? scaled : in_logs)++;
      ASSERT_NO_FATAL_FAILURE(expect_same(found, expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs<TypeParam>(arcs, single_root), expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, found));
    });
  EXPECT_GT(scaled, 300);
  EXPECT_GT(in_logs, 100);
}

TYPED_TEST(TreeSums, GivesNothingToWhatIsForbidden) {
  each_small_sentence([](Random& random, std::size_t words, bool single_root) {
    ArcMatrix arcs = random_arcs(random, words, random.below(2) == 0 ? 4.0 : 1e4);
    forbid_some(random, arcs, 1 + random.below(5));
    const TreeTotals expected = enumerate_sums(arcs, kind_of<TypeParam>(single_root));
    for (const TreeTotals& found :
         {run<TypeParam>(arcs, single_root), run_in_logs<TypeParam>(arcs, single_root)}) {
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, found));
      if (expected.log_z < kForbidden / 2) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(found, expected, 1e-7));
      for (std::size_t k = 0; k < arcs.score.size(); ++k)
        ASSERT_TRUE(arcs.score[k] != kForbidden || found.marginals[k] == 0.0) << "at " << k;
    }
  });
}

TYPED_TEST(TreeSums, TendsToTheBestTreeAsScoresGrow) {
  for (const std::size_t words : {5, 20, 50})
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 6");
      Random random(6);
      ArcMatrix arcs = random_arcs(random, words, 1.0);
      Heads best(words + 1);
      const double score = BestTree<TypeParam>().best(arcs.scores(single_root), best);
      arcs.each_arc([](float& x) { x *= 65536.0f; });
      const TreeTotals totals = run<TypeParam>(arcs, single_root);
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, totals));
      EXPECT_NEAR(totals.log_z / 65536.0, score, 1e-4);
      for (std::size_t m = 1; m <= words; ++m)
        EXPECT_NEAR(totals.marginals[best[m] * arcs.stride + m], 1.0, 1e-3);
    }
}

TYPED_TEST(TreeSums, GivesTheGradientOfTheLogSum) {
  constexpr float kStep = 1.0f / 1024;
  for (const bool single_root : {false, true})
    for (const std::size_t words : {4, 19}) {
      Random random(7);
      ArcMatrix arcs = random_arcs_with_ties(random, words, 20);
      const TreeTotals totals = run<TypeParam>(arcs, single_root);
      for (std::size_t h = 0; h <= words; ++h)
        for (std::size_t m = 1; m <= words; ++m) {
          if (h == m) continue;
          const float before = arcs.at(h, m);
          arcs.at(h, m) = before + kStep;
          const double above = run<TypeParam>(arcs, single_root).log_z;
          arcs.at(h, m) = before - kStep;
          const double below = run<TypeParam>(arcs, single_root).log_z;
          arcs.at(h, m) = before;
          ASSERT_NEAR((above - below) / (2.0 * kStep), totals.marginals[h * arcs.stride + m], 1e-6);
        }
    }
}

TYPED_TEST(TreeSums, IsTheSameBothWaysAroundTheWidthsOfVectorRegisters) {
  for (std::size_t words = 1; words <= 70; ++words)
    for (const bool single_root : {false, true})
      for (const double range : {0.1, 1.0, 8.0, 20.0}) {
        SCOPED_TRACE(testing::Message() << words << " words, scores to " << range << ", seed 4");
        Random random(4);
        const ArcMatrix arcs = random_arcs(random, words, range);
        TypeParam sums;
        const TreeTotals scaled = run(sums, arcs, single_root);
        ASSERT_TRUE(sums.scaled());
        ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, scaled));
        ASSERT_NO_FATAL_FAILURE(expect_same(scaled, run_in_logs<TypeParam>(arcs, single_root), 1e-7));
      }
}

TYPED_TEST(TreeSums, DoesNotDependOnWhatItsMemoryHeldBefore) {
  Random random(8);
  TypeParam reused;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(testing::Message() << "seed 8, round " << round);
    ArcMatrix arcs = random_arcs(random, random.below(40), round % 4 == 0 ? 1e4 : 5.0);
    if (round % 5 == 0) forbid_some(random, arcs, 4);
    const TreeTotals again = run(reused, arcs, round % 2 == 1);
    const TreeTotals fresh = run<TypeParam>(arcs, round % 2 == 1);
    ASSERT_EQ(again.log_z, fresh.log_z);
    ASSERT_EQ(again.marginals, fresh.marginals);
  }
}

TYPED_TEST(TreeSums, StaysFiniteWhereScoresLeaveNoDigitsForDifferences) {
  for (const double range : {1e10, 1e16, 1e22, 1e28, 3e38})
    for (const std::size_t words : {2, 6, 17, 40})
      for (const bool single_root : {false, true}) {
        SCOPED_TRACE(testing::Message() << words << " words, scores to " << range << ", seed 9");
        Random random(9);
        ArcMatrix arcs = random_arcs(random, words, range);
        arcs.each_arc([&](float& x) { x = random.below(3) == 0 ? x : static_cast<float>(random.below(3)); });
        ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, run<TypeParam>(arcs, single_root)));
        ASSERT_NO_FATAL_FAILURE(
            expect_distribution(arcs, single_root, run_in_logs<TypeParam>(arcs, single_root)));
      }
}

TYPED_TEST(TreeSums, StaysFiniteWhereAllIsForbidden) {
  for (const std::size_t words : {1, 7, 120})
    for (const bool single_root : {false, true}) {
      ArcMatrix arcs(words, 1);
      arcs.each_arc([](float& x) { x = kForbidden; });
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, run<TypeParam>(arcs, single_root)));
      ASSERT_NO_FATAL_FAILURE(
          expect_distribution(arcs, single_root, run_in_logs<TypeParam>(arcs, single_root)));
    }
}

TYPED_TEST(TreeSums, OfNoWordsIsZero) {
  const float nothing = 3e38f;
  for (const bool single_root : {false, true}) {
    TypeParam sums;
    EXPECT_EQ(sums.run({&nothing, 0, 1, single_root}), 0.0);
    EXPECT_EQ(sums.marginals().size(), 1);
    EXPECT_EQ(sums.marginals()[0], 0.0f);
  }
}

}  // namespace
}  // namespace hinge::test
