// The best tree against the enumeration of all.
#include "hinge/decode/chu_liu_edmonds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hinge/decode/eisner.h"
#include "tests/support/all_trees.h"

namespace hinge::test {
namespace {

struct Found {
  double score;
  Heads heads;
};

Found chu_liu_edmonds(const ArcMatrix& arcs, bool single_root) {
  Found found{0.0, Heads(arcs.words + 1, 77)};
  found.score = ChuLiuEdmonds().best(arcs.scores(single_root), found.heads);
  return found;
}

void expect_best(const ArcMatrix& arcs, bool single_root) {
  const TreeKind kind{.single_root = single_root};
  const Found found = chu_liu_edmonds(arcs, single_root);
  const double best = best_score(arcs, kind);
  ASSERT_TRUE(is_of_kind(found.heads, kind));
  ASSERT_DOUBLE_EQ(found.score, best);
  ASSERT_DOUBLE_EQ(arcs.score_of(found.heads), best);
}

TEST(ChuLiuEdmonds, FindsTheBestOfAllTrees) {
  for (const double range : {1.0, 1e3, 1e6})
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", scores to " << range);
      Random random(seed);
      const ArcMatrix arcs = random_arcs(random, random.below(7), range);
      ASSERT_NO_FATAL_FAILURE(expect_best(arcs, seed % 2 == 1));
    }
}

TEST(ChuLiuEdmonds, FindsABestTreeWhereManyTie) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const ArcMatrix arcs = random_arcs_with_ties(random, random.below(7), static_cast<int>(seed % 4));
    ASSERT_NO_FATAL_FAILURE(expect_best(arcs, seed % 2 == 1));
  }
}

// Words that prefer each other to the rest, and groups of them likewise:
// cycles within cycles.
TEST(ChuLiuEdmonds, UndoesNestedCycles) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ArcMatrix arcs = random_arcs_with_ties(random, 6, 10);
    for (std::size_t h = 0; h <= 6; ++h)
      for (std::size_t m = 1; m <= 6; ++m) {
        if (h == m) continue;
        if (h != 0 && (h + 1) / 2 == (m + 1) / 2) arcs.at(h, m) += 20.0f;
        if (h != 0 && (h + 1) / 4 == (m + 1) / 4) arcs.at(h, m) += 10.0f;
        if (h != 0) arcs.at(h, m) += static_cast<float>(seed % 3) * 5.0f;
      }
    ASSERT_NO_FATAL_FAILURE(expect_best(arcs, seed % 2 == 1));
  }
}

TEST(ChuLiuEdmonds, AvoidsForbiddenArcsWhereItCan) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ArcMatrix arcs = random_arcs(random, 1 + random.below(6), 10.0);
    forbid_some(random, arcs, 1 + random.below(4));
    ASSERT_NO_FATAL_FAILURE(expect_best(arcs, seed % 2 == 1));
  }
}

// Words for which the root is by far the best head; one only may have it.
TEST(ChuLiuEdmonds, ChoosesTheRightWordForTheRootExactly) {
  for (const double gain : {10.0, 1e4, 1e7})
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", gain " << gain);
      Random random(seed);
      ArcMatrix arcs = random_arcs(random, 1 + random.below(6), 1.0);
      for (std::size_t m = 1; m <= arcs.words; ++m) {
        arcs.at(0, m) += static_cast<float>(gain * random.uniform());
        if (random.below(5) == 0) arcs.at(0, m) = kForbidden;
      }
      ASSERT_NO_FATAL_FAILURE(expect_best(arcs, true));
    }
}

TEST(ChuLiuEdmonds, HasOneRootChildEvenWhereThatTakesForbiddenArcs) {
  Random random(2);
  ArcMatrix arcs = random_arcs(random, 5, 1.0);
  for (std::size_t h = 1; h <= 5; ++h)
    for (std::size_t m = 1; m <= 5; ++m)
      if (h != m) arcs.at(h, m) = kForbidden;
  ASSERT_NO_FATAL_FAILURE(expect_best(arcs, false));
  ASSERT_NO_FATAL_FAILURE(expect_best(arcs, true));
}

// Projective trees are trees, and in any tree each word has one head.
TEST(ChuLiuEdmonds, IsNoWorseThanEisnerAndNoBetterThanEveryWordOnItsOwn) {
  for (const std::size_t words : {7, 8, 15, 16, 17, 31, 32, 33, 60, 200})
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 3");
      Random random(3);
      ArcMatrix arcs = random_arcs_with_ties(random, words, 10000);
      const Found found = chu_liu_edmonds(arcs, single_root);
      ASSERT_TRUE(is_of_kind(found.heads, {.single_root = single_root}));
      ASSERT_EQ(found.score, arcs.score_of(found.heads));
      Heads heads(words + 1);
      EXPECT_GE(found.score, Eisner().best(arcs.scores(single_root), heads));
      double bound = 0.0;
      for (std::size_t m = 1; m <= words; ++m) {
        float best = kForbidden;
        for (std::size_t h = 0; h <= words; ++h)
          if (h != m) best = std::max(best, arcs.at(h, m));
        bound += best;
      }
      EXPECT_LE(found.score, bound);
    }
}

TEST(ChuLiuEdmonds, FindsAPlantedTreeInLongSentences) {
  for (std::size_t words = 1; words <= 90; words += words < 40 ? 1 : 7)
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 4");
      Random random(4);
      const Heads planted = chu_liu_edmonds(random_arcs(random, words, 1.0), single_root).heads;
      ASSERT_TRUE(is_of_kind(planted, {.single_root = single_root}));
      ArcMatrix arcs = random_arcs(random, words, 1.0);
      for (std::size_t m = 1; m <= words; ++m) arcs.at(planted[m], m) += 2.0f;
      EXPECT_EQ(chu_liu_edmonds(arcs, single_root).heads, planted);
    }
}

// One root child is the best over whose child it is: every choice forced in turn.
TEST(ChuLiuEdmonds, AgreesWithTryingEveryWordAsTheRootChild) {
  for (const std::size_t words : {5, 12, 30}) {
    SCOPED_TRACE(testing::Message() << words << " words, seed 5");
    Random random(5);
    const ArcMatrix arcs = random_arcs_with_ties(random, words, 10000);
    double best = kForbidden;
    for (std::size_t child = 1; child <= words; ++child) {
      ArcMatrix forced = arcs;
      for (std::size_t m = 1; m <= words; ++m)
        if (m != child) forced.at(0, m) = kForbidden;
      best = std::max(best, chu_liu_edmonds(forced, false).score);
    }
    EXPECT_EQ(chu_liu_edmonds(arcs, true).score, best);
  }
}

TEST(ChuLiuEdmonds, DoesNotDependOnWhatItsMemoryHeldBefore) {
  Random random(6);
  ChuLiuEdmonds reused;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(testing::Message() << "seed 6, round " << round);
    const ArcMatrix arcs = random_arcs(random, random.below(50), 5.0);
    const Found fresh = chu_liu_edmonds(arcs, round % 2 == 1);
    Heads heads(arcs.words + 1);
    EXPECT_EQ(reused.best(arcs.scores(round % 2 == 1), heads), fresh.score);
    EXPECT_EQ(heads, fresh.heads);
  }
}

TEST(ChuLiuEdmonds, TakesTwoThousandWords) {
  Random random(7);
  const ArcMatrix arcs = random_arcs_with_ties(random, 2000, 10000);
  for (const bool single_root : {false, true}) {
    const Found found = chu_liu_edmonds(arcs, single_root);
    EXPECT_TRUE(is_of_kind(found.heads, {.single_root = single_root}));
    EXPECT_EQ(found.score, arcs.score_of(found.heads));
  }
}

TEST(ChuLiuEdmonds, OfNoWordsIsZero) {
  for (const bool single_root : {false, true}) {
    Heads heads(1, 5);
    EXPECT_EQ(ChuLiuEdmonds().best({nullptr, 0, 1, single_root}, heads), 0.0);
    EXPECT_EQ(heads, Heads(1, 0));
  }
}

}  // namespace
}  // namespace hinge::test
