// Sums over projective trees against the enumeration of all, and, where there
// are too many of those, of the two ways to compute them.
#include "hinge/decode/inside_outside.h"

#include <gtest/gtest.h>

#include <functional>

#include "hinge/decode/eisner.h"
#include "tests/support/all_trees.h"
#include "tests/support/tree_sums.h"

namespace hinge::test {
namespace {

TreeTotals run(const ArcMatrix& arcs, bool single_root) {
  InsideOutside sums;
  return run(sums, arcs, single_root);
}

TreeTotals run_in_logs(const ArcMatrix& arcs, bool single_root) {
  InsideOutside sums;
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

TEST(InsideOutside, SumsOverAllProjectiveTrees) {
  each_small_sentence([](Random& random, std::size_t words, bool single_root) {
    const ArcMatrix arcs = random_arcs(random, words, 5.0);
    const TreeTotals expected = enumerate_sums(arcs, {.projective = true, .single_root = single_root});
    InsideOutside sums;
    const TreeTotals scaled = run(sums, arcs, single_root);
    ASSERT_TRUE(sums.scaled());
    ASSERT_NO_FATAL_FAILURE(expect_same(scaled, expected, 1e-7));
    ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(arcs, single_root), expected, 1e-7));
    ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, scaled));
  });
}

TEST(InsideOutside, TakesScoresOfAnySize) {
  int scaled = 0;
  int in_logs = 0;
  for (const double range : {30.0, 300.0, 1e3, 1e4, 1e6})
    each_small_sentence([&](Random& random, std::size_t words, bool single_root) {
      SCOPED_TRACE(testing::Message() << "scores to " << range);
      const ArcMatrix arcs = random_arcs(random, words, range);
      const TreeTotals expected = enumerate_sums(arcs, {.projective = true, .single_root = single_root});
      InsideOutside sums;
      const TreeTotals found = run(sums, arcs, single_root);
      (sums.scaled() ? scaled : in_logs)++;
      ASSERT_NO_FATAL_FAILURE(expect_same(found, expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(arcs, single_root), expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, found));
    });
  EXPECT_GT(scaled, 300);
  EXPECT_GT(in_logs, 100);
}

TEST(InsideOutside, GivesNothingToWhatIsForbidden) {
  each_small_sentence([](Random& random, std::size_t words, bool single_root) {
    ArcMatrix arcs = random_arcs(random, words, random.below(2) == 0 ? 4.0 : 1e4);
    forbid_some(random, arcs, 1 + random.below(5));
    const TreeTotals expected = enumerate_sums(arcs, {.projective = true, .single_root = single_root});
    for (const TreeTotals& found : {run(arcs, single_root), run_in_logs(arcs, single_root)}) {
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, found));
      if (expected.log_z < kForbidden / 2) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(found, expected, 1e-7));
      for (std::size_t k = 0; k < arcs.score.size(); ++k)
        ASSERT_TRUE(arcs.score[k] != kForbidden || found.marginals[k] == 0.0) << "at " << k;
    }
  });
}

// Only one tree is allowed, and it underflows: every word but one would rather
// have another head, by far.
TEST(InsideOutside, FindsTreesThatUnderflow) {
  for (const float price : {100.0f, 300.0f, 650.0f, 700.0f, 5000.0f})
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << "price " << price);
      ArcMatrix arcs(6, 0);
      arcs.each_arc([](float& x) { x = kForbidden; });
      for (std::size_t m = 2; m <= 6; ++m) {
        arcs.at(m - 1, m) = -price;
        arcs.at(m, m - 1) = 1.0f;  // a cycle with the arc back, or out of reach of the root
      }
      arcs.at(0, 1) = -price;
      arcs.at(0, 6) = -7.0f * price;
      const TreeTotals expected = enumerate_sums(arcs, {.projective = true, .single_root = single_root});
      ASSERT_NO_FATAL_FAILURE(expect_same(run(arcs, single_root), expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(arcs, single_root), expected, 1e-7));
    }
}

TEST(InsideOutside, IsTheSameBothWaysAroundTheWidthsOfVectorRegisters) {
  for (std::size_t words = 1; words <= 70; ++words)
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 3");
      Random random(3);
      const ArcMatrix arcs = random_arcs(random, words, words % 3 == 0 ? 0.1 : 8.0);
      InsideOutside sums;
      const TreeTotals scaled = run(sums, arcs, single_root);
      ASSERT_TRUE(sums.scaled());
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, scaled));
      ASSERT_NO_FATAL_FAILURE(expect_same(scaled, run_in_logs(arcs, single_root), 1e-7));
    }
}

// Arcs all alike, and one of each word's far above the others.
TEST(InsideOutside, NeedsNoLogsForLongSentences) {
  for (const std::size_t words : {200, 400})
    for (const double range : {0.0, 1.0, 40.0}) {
      SCOPED_TRACE(testing::Message() << words << " words, scores to " << range << ", seed 4");
      Random random(4);
      const Heads tree = [&] {
        Heads heads(words + 1);
        Eisner().best(random_arcs(random, words, 1.0).scores(false), heads);
        return heads;
      }();
      ArcMatrix arcs = random_arcs(random, words, range);
      if (range > 1.0)
        for (std::size_t m = 1; m <= words; ++m) arcs.at(tree[m], m) += 100.0f;
      InsideOutside sums;
      const TreeTotals scaled = run(sums, arcs, false);
      EXPECT_TRUE(sums.scaled());
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, false, scaled));
      if (words > 200) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(scaled, run_in_logs(arcs, false), 1e-6));
    }
}

// There are binomial(3n, n) / (2n + 1) projective trees of n words.
TEST(InsideOutside, CountsTheTreesOfALongSentence) {
  for (const std::size_t words : {1, 2, 10, 60, 150}) {
    ArcMatrix arcs(words, 3);
    arcs.each_arc([](float& x) { x = 0.0f; });
    const double n = static_cast<double>(words);
    const double log_count =
        std::lgamma(3 * n + 1) - std::lgamma(n + 1) - std::lgamma(2 * n + 1) - std::log(2 * n + 1);
    EXPECT_NEAR(run(arcs, false).log_z, log_count, 1e-9 * std::max(1.0, log_count)) << words << " words";
  }
}

TEST(InsideOutside, TendsToTheBestTreeAsScoresGrow) {
  for (const std::size_t words : {5, 20, 50}) {
    SCOPED_TRACE(testing::Message() << words << " words, seed 5");
    Random random(5);
    ArcMatrix arcs = random_arcs(random, words, 1.0);
    Heads best(words + 1);
    const double score = Eisner().best(arcs.scores(true), best);
    arcs.each_arc([](float& x) { x *= 65536.0f; });
    const TreeTotals totals = run(arcs, true);
    EXPECT_NEAR(totals.log_z / 65536.0, score, 1e-4);
    for (std::size_t m = 1; m <= words; ++m)
      EXPECT_NEAR(totals.marginals[best[m] * arcs.stride + m], 1.0, 1e-3);
  }
}

TEST(InsideOutside, GivesTheGradientOfTheLogSum) {
  constexpr float kStep = 1.0f / 1024;
  for (const bool single_root : {false, true})
    for (const std::size_t words : {4, 19}) {
      Random random(6);
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

TEST(InsideOutside, DoesNotDependOnWhatItsMemoryHeldBefore) {
  Random random(7);
  InsideOutside reused;
  for (int round = 0; round < 60; ++round) {
    SCOPED_TRACE(testing::Message() << "seed 7, round " << round);
    ArcMatrix arcs = random_arcs(random, random.below(40), round % 4 == 0 ? 1e4 : 5.0);
    if (round % 5 == 0) forbid_some(random, arcs, 4);
    const TreeTotals again = run(reused, arcs, round % 2 == 1);
    const TreeTotals fresh = run(arcs, round % 2 == 1);
    ASSERT_EQ(again.log_z, fresh.log_z);
    ASSERT_EQ(again.marginals, fresh.marginals);
  }
}

TEST(InsideOutside, StaysFiniteWhereScoresLeaveNoDigitsForDifferences) {
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

TEST(InsideOutside, StaysFiniteWhereAllIsForbidden) {
  for (const std::size_t words : {1, 7, 120})
    for (const bool single_root : {false, true}) {
      ArcMatrix arcs(words, 1);
      arcs.each_arc([](float& x) { x = kForbidden; });
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, run(arcs, single_root)));
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, single_root, run_in_logs(arcs, single_root)));
    }
}

TEST(InsideOutside, OfNoWordsIsZero) {
  const float nothing = 3e38f;
  for (const bool single_root : {false, true}) {
    InsideOutside sums;
    EXPECT_EQ(sums.run({&nothing, 0, 1, single_root}), 0.0);
    EXPECT_EQ(sums.marginals().size(), 1);
    EXPECT_EQ(sums.marginals()[0], 0.0f);
  }
}

}  // namespace
}  // namespace hinge::test
