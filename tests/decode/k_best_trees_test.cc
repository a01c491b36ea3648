// The k best projective trees against the sorted list of all.
#include "hinge/decode/k_best_trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hinge/decode/eisner.h"
#include "tests/support/all_trees.h"

namespace hinge::test {
namespace {

std::vector<double> allowed_scores(const ArcMatrix& arcs, bool single_root) {
  std::vector<double> scores;
  each_tree(arcs.words, {.projective = true, .single_root = single_root}, [&](const Heads& heads) {
    if (arcs.allows(heads)) scores.push_back(arcs.score_of(heads));
  });
  std::sort(scores.rbegin(), scores.rend());
  return scores;
}

void expect_the_k_best(const ArcMatrix& arcs, bool single_root, std::size_t k) {
  const std::vector<double> all = allowed_scores(arcs, single_root);
  const std::vector<ScoredTree> found = k_best_projective(arcs.scores(single_root), k);
  ASSERT_EQ(found.size(), std::min(k, all.size()));
  std::set<Heads> distinct;
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    const auto& [score, heads] = found[rank];
    ASSERT_TRUE(is_of_kind(heads, {.projective = true, .single_root = single_root})) << "rank " << rank;
    ASSERT_TRUE(arcs.allows(heads)) << "rank " << rank;
    ASSERT_DOUBLE_EQ(score, all[rank]) << "rank " << rank;
    ASSERT_DOUBLE_EQ(score, arcs.score_of(heads)) << "rank " << rank;
    ASSERT_TRUE(distinct.insert(heads).second) << "rank " << rank << " came before";
  }
}

TEST(KBestTrees, IsTheHeadOfTheSortedEnumeration) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const ArcMatrix arcs = random_arcs_with_ties(random, random.below(7), 100000);
    const std::size_t k = 1 + random.below(100);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", k " << k);
    ASSERT_NO_FATAL_FAILURE(expect_the_k_best(arcs, seed % 2 == 1, k));
  }
}

TEST(KBestTrees, HasEveryTreeOnceWhereFewerThanKExist) {
  for (std::size_t words = 0; words <= 6; ++words)
    for (const bool single_root : {false, true})
      for (const int range : {0, 1, 1000}) {
        SCOPED_TRACE(testing::Message() << words << " words, range " << range << ", seed 2");
        Random random(2);
        const ArcMatrix arcs = random_arcs_with_ties(random, words, range);
        ASSERT_NO_FATAL_FAILURE(expect_the_k_best(arcs, single_root, 100000));
      }
}

TEST(KBestTrees, HoldsDistinctTreesWhereManyTie) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const ArcMatrix arcs = random_arcs_with_ties(random, 1 + random.below(6), static_cast<int>(seed % 3));
    ASSERT_NO_FATAL_FAILURE(expect_the_k_best(arcs, seed % 2 == 1, 1 + random.below(300)));
  }
}

TEST(KBestTrees, ListsNoTreeThatIsForbidden) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ArcMatrix arcs = random_arcs_with_ties(random, 1 + random.below(6), 100);
    forbid_some(random, arcs, 1 + random.below(4));
    ASSERT_NO_FATAL_FAILURE(expect_the_k_best(arcs, seed % 2 == 1, 1 + random.below(500)));
  }
}

// To the last bit, also for ties: otherwise rounding could make plain prediction
// and the list choose different trees.
TEST(KBestTrees, BeginsWithWhatEisnerFinds) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const std::size_t words = 1 + random.below(60);
    const ArcMatrix arcs =
        seed % 2 == 0 ? random_arcs(random, words, 10.0) : random_arcs_with_ties(random, words, 1);
    for (const bool single_root : {false, true}) {
      Heads heads(words + 1);
      const double score = Eisner().best(arcs.scores(single_root), heads);
      for (const std::size_t k : {1, 4}) {
        const ScoredTree best = k_best_projective(arcs.scores(single_root), k).at(0);
        ASSERT_EQ(best.score, score);
        ASSERT_EQ(best.heads, heads);
      }
    }
  }
}

// The second best tree lacks some arc of the best, so it is the best of all trees
// that lack one of its arcs.
TEST(KBestTrees, HasTheSecondBestOfALongSentence) {
  for (const std::size_t words : {12, 30, 47})
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 3");
      Random random(3);
      const ArcMatrix arcs = random_arcs_with_ties(random, words, 10000);
      const std::vector<ScoredTree> found = k_best_projective(arcs.scores(single_root), 20);
      ASSERT_EQ(found.size(), 20);
      double second = 2.0 * kForbidden;
      for (std::size_t m = 1; m <= words; ++m) {
        ArcMatrix without = arcs;
        without.at(found[0].heads[m], m) = kForbidden;
        Heads heads(words + 1);
        second = std::max(second, Eisner().best(without.scores(single_root), heads));
      }
      EXPECT_EQ(found[1].score, second);
      for (std::size_t rank = 1; rank < 20; ++rank) {
        EXPECT_LE(found[rank].score, found[rank - 1].score);
        EXPECT_EQ(found[rank].score, arcs.score_of(found[rank].heads));
      }
    }
}

TEST(KBestTrees, OfNoneIsEmpty) {
  Random random(4);
  EXPECT_TRUE(k_best_projective(random_arcs(random, 3, 1.0).scores(false), 0).empty());
}

}  // namespace
}  // namespace hinge::test
