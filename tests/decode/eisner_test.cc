// The best projective tree against the enumeration of all.
#include "hinge/decode/eisner.h"

#include <gtest/gtest.h>

#include "tests/support/all_trees.h"

namespace hinge::test {
namespace {

struct Found {
  double score;
  Heads heads;
};

Found eisner(const ArcMatrix& arcs, bool single_root) {
  Found found{0.0, Heads(arcs.words + 1, 77)};
  found.score = Eisner().best(arcs.scores(single_root), found.heads);
  return found;
}

void expect_best(const ArcMatrix& arcs, bool single_root) {
  const TreeKind kind{.projective = true, .single_root = single_root};
  const Found found = eisner(arcs, single_root);
  const double best = best_score(arcs, kind);
  ASSERT_TRUE(is_of_kind(found.heads, kind));
  ASSERT_DOUBLE_EQ(found.score, best);
  ASSERT_DOUBLE_EQ(arcs.score_of(found.heads), best);
}

TEST(Eisner, FindsTheBestOfAllProjectiveTrees) {
  for (const double range : {1.0, 1e3, 1e6})
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", scores to " << range);
      Random random(seed);
      const ArcMatrix arcs = random_arcs(random, random.below(7), range);
      ASSERT_NO_FATAL_FAILURE(expect_best(arcs, seed % 2 == 1));
    }
}

TEST(Eisner, FindsABestTreeWhereManyTie) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const ArcMatrix arcs = random_arcs_with_ties(random, random.below(7), static_cast<int>(seed % 4));
    ASSERT_NO_FATAL_FAILURE(expect_best(arcs, seed % 2 == 1));
  }
}

TEST(Eisner, AvoidsForbiddenArcsWhereItCan) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ArcMatrix arcs = random_arcs(random, 1 + random.below(6), 10.0);
    forbid_some(random, arcs, 1 + random.below(4));
    ASSERT_NO_FATAL_FAILURE(expect_best(arcs, seed % 2 == 1));
  }
}

// Scores of one tree's arcs are raised until nothing can compete, which says
// what the best tree is for lengths on either side of those of vectors.
TEST(Eisner, FindsAPlantedTreeInLongSentences) {
  for (std::size_t words = 1; words <= 90; words += words < 40 ? 1 : 7)
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 3");
      Random random(3);
      const Heads planted = eisner(random_arcs(random, words, 1.0), single_root).heads;
      ASSERT_TRUE(is_of_kind(planted, {.projective = true, .single_root = single_root}));
      ArcMatrix arcs = random_arcs(random, words, 1.0);
      for (std::size_t m = 1; m <= words; ++m) arcs.at(planted[m], m) += 2.0f;
      EXPECT_EQ(eisner(arcs, single_root).heads, planted);
    }
}

// Raising or lowering all arcs into a word changes no tree's rank.
TEST(Eisner, DoesNotDependOnWhatAWordAddsToAllItsArcs) {
  for (const std::size_t words : {20, 45, 60}) {
    SCOPED_TRACE(testing::Message() << words << " words, seed 4");
    Random random(4);
    ArcMatrix arcs = random_arcs_with_ties(random, words, 10000);
    const Found before = eisner(arcs, false);
    double total = 0.0;
    for (std::size_t m = 1; m <= words; ++m) {
      const float added = static_cast<float>(random.below(1000));
      total += added;
      for (std::size_t h = 0; h <= words; ++h)
        if (h != m) arcs.at(h, m) += added;
    }
    const Found after = eisner(arcs, false);
    EXPECT_EQ(after.score, before.score + total);
    EXPECT_EQ(after.heads, before.heads);
  }
}

TEST(Eisner, DoesNotDependOnWhatItsMemoryHeldBefore) {
  Random random(5);
  Eisner reused;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(testing::Message() << "seed 5, round " << round);
    const ArcMatrix arcs = random_arcs(random, random.below(50), round % 10 == 0 ? 1e30 : 5.0);
    const Found fresh = eisner(arcs, round % 2 == 1);
    Heads heads(arcs.words + 1);
    EXPECT_EQ(reused.best(arcs.scores(round % 2 == 1), heads), fresh.score);
    EXPECT_EQ(heads, fresh.heads);
  }
}

TEST(Eisner, TakesTwoThousandWords) {
  Random random(6);
  const ArcMatrix arcs = random_arcs_with_ties(random, 2000, 10000);
  const Found found = eisner(arcs, false);
  EXPECT_TRUE(is_of_kind(found.heads, {.projective = true}));
  EXPECT_EQ(found.score, arcs.score_of(found.heads));
}

TEST(Eisner, OfNoWordsIsZero) {
  for (const bool single_root : {false, true}) {
    Heads heads(1, 5);
    EXPECT_EQ(Eisner().best({nullptr, 0, 1, single_root}, heads), 0.0);
    EXPECT_EQ(heads, Heads(1, 0));
  }
}

}  // namespace
}  // namespace hinge::test
