// Sums over all trees against the enumeration, and, where there are too many of
// those, of the two ways to compute them.
#include "hinge/decode/matrix_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "hinge/decode/chu_liu_edmonds.h"
#include "hinge/decode/inside_outside.h"
#include "tests/support/all_trees.h"
#include "tests/support/tree_sums.h"

namespace hinge::test {
namespace {

TreeTotals run(const ArcMatrix& arcs, bool single_root) {
  MatrixTree sums;
  return run(sums, arcs, single_root);
}

TreeTotals run_in_logs(const ArcMatrix& arcs, bool single_root) {
  MatrixTree sums;
  return run_in_logs(sums, arcs, single_root);
}

void each_small_sentence(const std::function<void(Random&, std::size_t, bool)>& body) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const std::size_t words = random.below(7);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << words << " words");
    body(random, words, seed % 2 == 1);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(MatrixTree, SumsOverAllTrees) {
  each_small_sentence([](Random& random, std::size_t words, bool single_root) {
    const ArcMatrix arcs = random_arcs(random, words, 5.0);
    const TreeTotals expected = enumerate_sums(arcs, {.single_root = single_root});
    MatrixTree sums;
    const TreeTotals scaled = run(sums, arcs, single_root);
    ASSERT_TRUE(sums.scaled());
    ASSERT_NO_FATAL_FAILURE(expect_same(scaled, expected, 1e-7));
    ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(arcs, single_root), expected, 1e-7));
    ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, scaled));
  });
}

TEST(MatrixTree, TakesScoresOfAnySize) {
  int scaled = 0;
  int in_logs = 0;
  for (const double range : {30.0, 100.0, 300.0, 1e3, 1e4, 1e6})
    each_small_sentence([&](Random& random, std::size_t words, bool single_root) {
      SCOPED_TRACE(testing::Message() << "scores to " << range);
      const ArcMatrix arcs = random_arcs(random, words, range);
      const TreeTotals expected = enumerate_sums(arcs, {.single_root = single_root});
      MatrixTree sums;
      const TreeTotals found = run(sums, arcs, single_root);
      (sums.scaled() ? scaled : in_logs)++;
      ASSERT_NO_FATAL_FAILURE(expect_same(found, expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(arcs, single_root), expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, found));
    });
  EXPECT_GT(scaled, 300);
  EXPECT_GT(in_logs, 100);
}

TEST(MatrixTree, GivesNothingToWhatIsForbidden) {
  each_small_sentence([](Random& random, std::size_t words, bool single_root) {
    ArcMatrix arcs = random_arcs(random, words, random.below(2) == 0 ? 4.0 : 1e4);
    forbid_some(random, arcs, 1 + random.below(5));
    const TreeTotals expected = enumerate_sums(arcs, {.single_root = single_root});
    for (const TreeTotals& found : {run(arcs, single_root), run_in_logs(arcs, single_root)}) {
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, found));
      if (expected.log_z < kForbidden / 2) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(found, expected, 1e-7));
      for (std::size_t k = 0; k < arcs.score.size(); ++k)
        ASSERT_TRUE(arcs.score[k] != kForbidden || found.marginals[k] == 0.0) << "at " << k;
    }
  });
}

// Words that all but certainly have each other for heads, were that a tree: the
// Laplacian is singular to the last bit, and who breaks the cycles is told by
// what its inverse has lost.
TEST(MatrixTree, IsRightWhereTheLaplacianIsSingularToTheLastBit) {
  for (const float pull : {5.0f, 20.0f, 40.0f, 60.0f, 100.0f, 200.0f, 400.0f, 4000.0f})
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const bool single_root : {false, true}) {
        SCOPED_TRACE(testing::Message() << "pull " << pull << ", seed " << seed);
        Random random(seed);
        ArcMatrix arcs = random_arcs(random, 6, 3.0);
        for (std::size_t m = 1; m <= 6; ++m) {
          arcs.at(m % 2 == 1 ? m + 1 : m - 1, m) += pull;  // pairs
          arcs.at((m + 1) % 6 + 1, m) += pull / 2;         // and rings
        }
        const TreeTotals expected = enumerate_sums(arcs, {.single_root = single_root});
        ASSERT_NO_FATAL_FAILURE(expect_same(run(arcs, single_root), expected, 1e-7));
        ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(arcs, single_root), expected, 1e-7));
      }
}

// All words want the root, and one must not have another head.
TEST(MatrixTree, FindsTheOneRootChild) {
  for (const float gain : {1.0f, 50.0f, 1000.0f})
    for (std::size_t child = 1; child <= 5; ++child) {
      SCOPED_TRACE(testing::Message() << "gain " << gain << ", child " << child << ", seed 3");
      Random random(3);
      ArcMatrix arcs = random_arcs(random, 5, 2.0);
      for (std::size_t m = 1; m <= 5; ++m) {
        arcs.at(0, m) += gain;
        if (m != child) arcs.at(m, child) = kForbidden;
      }
      const TreeTotals expected = enumerate_sums(arcs, {.single_root = true});
      ASSERT_NO_FATAL_FAILURE(expect_same(run(arcs, true), expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(arcs, true), expected, 1e-7));
      EXPECT_NEAR(run(arcs, true).marginals[child], 1.0, 1e-6);
    }
}

// Cayley: (n + 1)^(n - 1) trees of n words, n^(n - 1) of them with one root child.
TEST(MatrixTree, CountsTheTreesOfALongSentence) {
  for (const std::size_t words : {1, 2, 10, 60, 200}) {
    ArcMatrix arcs(words, 3);
    arcs.each_arc([](float& x) { x = 0.0f; });
    const double n = static_cast<double>(words);
    const double log_count = (n - 1) * std::log(n + 1);
    EXPECT_NEAR(run(arcs, false).log_z, log_count, 1e-10 * std::max(1.0, log_count)) << words << " words";
    EXPECT_NEAR(run(arcs, true).log_z, (n - 1) * std::log(n), 1e-10 * std::max(1.0, log_count))
        << words << " words";
  }
}

TEST(MatrixTree, IsTheSameBothWaysAroundTheWidthsOfVectorRegisters) {
  for (std::size_t words = 1; words <= 60; words += words < 36 ? 1 : 8)
    for (const bool single_root : {false, true})
      for (const double range : {1.0, 20.0}) {
        SCOPED_TRACE(testing::Message() << words << " words, scores to " << range << ", seed 4");
        Random random(4);
        const ArcMatrix arcs = random_arcs(random, words, range);
        MatrixTree sums;
        const TreeTotals scaled = run(sums, arcs, single_root);
        ASSERT_TRUE(sums.scaled());
        ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, scaled));
        ASSERT_NO_FATAL_FAILURE(expect_same(scaled, run_in_logs(arcs, single_root), 1e-7));
      }
}

TEST(MatrixTree, HasMoreTreesThanInsideOutside) {
  for (const std::size_t words : {3, 20, 60}) {
    SCOPED_TRACE(testing::Message() << words << " words, seed 5");
    Random random(5);
    const ArcMatrix arcs = random_arcs(random, words, 3.0);
    InsideOutside projective;
    for (const bool single_root : {false, true})
      EXPECT_GT(run(arcs, single_root).log_z, projective.run(arcs.scores(single_root)));
  }
}

TEST(MatrixTree, TendsToTheBestTreeAsScoresGrow) {
  for (const std::size_t words : {5, 20, 50})
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 6");
      Random random(6);
      ArcMatrix arcs = random_arcs(random, words, 1.0);
      Heads best(words + 1);
      const double score = ChuLiuEdmonds().best(arcs.scores(single_root), best);
      arcs.each_arc([](float& x) { x *= 65536.0f; });
      const TreeTotals totals = run(arcs, single_root);
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, totals));
      EXPECT_NEAR(totals.log_z / 65536.0, score, 1e-4);
      for (std::size_t m = 1; m <= words; ++m)
        EXPECT_NEAR(totals.marginals[best[m] * arcs.stride + m], 1.0, 1e-3);
    }
}

TEST(MatrixTree, GivesTheGradientOfTheLogSum) {
  constexpr float kStep = 1.0f / 1024;
  for (const bool single_root : {false, true})
    for (const std::size_t words : {4, 19}) {
      Random random(7);
      ArcMatrix arcs = random_arcs_with_ties(random, words, 20);
      const TreeTotals totals = run(arcs, single_root);
      for (std::size_t h = 0; h <= words; ++h)
        for (std::size_t m = 1; m <= words; ++m) {
          if (h == m) continue;
          const float before = arcs.at(h, m);
          arcs.at(h, m) = before + kStep;
          const double above = run(arcs, single_root).log_z;
          arcs.at(h, m) = before - kStep;
          const double below = run(arcs, single_root).log_z;
          arcs.at(h, m) = before;
          ASSERT_NEAR((above - below) / (2.0 * kStep), totals.marginals[h * arcs.stride + m], 1e-6);
        }
    }
}

TEST(MatrixTree, DoesNotDependOnWhatItsMemoryHeldBefore) {
  Random random(8);
  MatrixTree reused;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(testing::Message() << "seed 8, round " << round);
    ArcMatrix arcs = random_arcs(random, random.below(40), round % 4 == 0 ? 1e4 : 5.0);
    if (round % 5 == 0) forbid_some(random, arcs, 4);
    const TreeTotals again = run(reused, arcs, round % 2 == 1);
    const TreeTotals fresh = run(arcs, round % 2 == 1);
    ASSERT_EQ(again.log_z, fresh.log_z);
    ASSERT_EQ(again.marginals, fresh.marginals);
  }
}

TEST(MatrixTree, StaysFiniteWhereScoresLeaveNoDigitsForDifferences) {
  for (const double range : {1e10, 1e16, 1e22, 1e28, 3e38})
    for (const std::size_t words : {2, 6, 17, 40})
      for (const bool single_root : {false, true}) {
        SCOPED_TRACE(testing::Message() << words << " words, scores to " << range << ", seed 9");
        Random random(9);
        ArcMatrix arcs = random_arcs(random, words, range);
        arcs.each_arc([&](float& x) { x = random.below(3) == 0 ? x : static_cast<float>(random.below(3)); });
        ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, run(arcs, single_root)));
        ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, run_in_logs(arcs, single_root)));
      }
}

TEST(MatrixTree, StaysFiniteWhereAllIsForbidden) {
  for (const std::size_t words : {1, 7, 60})
    for (const bool single_root : {false, true}) {
      ArcMatrix arcs(words, 1);
      arcs.each_arc([](float& x) { x = kForbidden; });
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, run(arcs, single_root)));
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, run_in_logs(arcs, single_root)));
    }
}

TEST(MatrixTree, OfNoWordsIsZero) {
  const float nothing = 3e38f;
  for (const bool single_root : {false, true}) {
    MatrixTree sums;
    EXPECT_EQ(sums.run({&nothing, 0, 1, single_root}), 0.0);
    EXPECT_EQ(sums.marginals().size(), 1);
    EXPECT_EQ(sums.marginals()[0], 0.0f);
  }
}

}  // namespace
}  // namespace hinge::test
