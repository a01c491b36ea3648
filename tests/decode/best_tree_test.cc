// The best tree of both decoders against enumeration of all trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "hinge/decode/chu_liu_edmonds.h"
#include "hinge/decode/eisner.h"
#include "tests/support/all_trees.h"

namespace hinge::test {
namespace {

struct Found {
  double score;
  Heads heads;
};

template <typename Decoder>
Found best_tree(const ArcMatrix& arcs, bool single_root) {
  Found found{0.0, Heads(arcs.words + 1, 77)};
  found.score = Decoder().best(arcs.scores(single_root), found.heads);
  return found;
}

template <typename Decoder>
TreeKind kind_of(bool single_root) {
  return {.projective = std::is_same_v<Decoder, Eisner>, .single_root = single_root};
}

template <typename Decoder>
void expect_best(const ArcMatrix& arcs, bool single_root) {
  const TreeKind kind = kind_of<Decoder>(single_root);
  const Found found = best_tree<Decoder>(arcs, single_root);
  const double best = best_score(arcs, kind);
  ASSERT_TRUE(is_of_kind(found.heads, kind));
  ASSERT_DOUBLE_EQ(found.score, best);
  ASSERT_DOUBLE_EQ(arcs.score_of(found.heads), best);
}

struct DecoderName {
  template <typename Decoder>
  static std::string GetName(int) {
    return std::is_same_v<Decoder, Eisner> ? "Eisner" : "ChuLiuEdmonds";
  }
};

template <typename Decoder>
class BestTree : public testing::Test {};
using Decoders = testing::Types<Eisner, ChuLiuEdmonds>;
TYPED_TEST_SUITE(BestTree, Decoders, DecoderName);

TYPED_TEST(BestTree, IsTheBestOfAll) {
  for (const double range : {1.0, 1e3, 1e6})
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", scores to " << range);
      Random random(seed);
      const ArcMatrix arcs = random_arcs(random, random.below(7), range);
      ASSERT_NO_FATAL_FAILURE(expect_best<TypeParam>(arcs, seed % 2 == 1));
    }
}

TYPED_TEST(BestTree, IsABestOneWhereManyTie) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const ArcMatrix arcs = random_arcs_with_ties(random, random.below(7), static_cast<int>(seed % 4));
    ASSERT_NO_FATAL_FAILURE(expect_best<TypeParam>(arcs, seed % 2 == 1));
  }
}

// Words prefer each other to the rest, and so do groups of words: cycles within
// cycles.
TYPED_TEST(BestTree, UndoesNestedCycles) {
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
    ASSERT_NO_FATAL_FAILURE(expect_best<TypeParam>(arcs, seed % 2 == 1));
  }
}

TYPED_TEST(BestTree, AvoidsForbiddenArcsWhereItCan) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    ArcMatrix arcs = random_arcs(random, 1 + random.below(6), 10.0);
    forbid_some(random, arcs, 1 + random.below(4));
    ASSERT_NO_FATAL_FAILURE(expect_best<TypeParam>(arcs, seed % 2 == 1));
  }
}

// The root is by far the best head for many words, but only one may have it.
TYPED_TEST(BestTree, HasTheRightWordForTheRootExactly) {
  for (const double gain : {10.0, 1e4, 1e7})
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", gain " << gain);
      Random random(seed);
      ArcMatrix arcs = random_arcs(random, 1 + random.below(6), 1.0);
      for (std::size_t m = 1; m <= arcs.words; ++m) {
        arcs.at(0, m) += static_cast<float>(gain * random.uniform());
        if (random.below(5) == 0) arcs.at(0, m) = kForbidden;
      }
      ASSERT_NO_FATAL_FAILURE(expect_best<TypeParam>(arcs, true));
    }
}

TYPED_TEST(BestTree, HasOneRootChildEvenWhereThatTakesForbiddenArcs) {
  Random random(2);
  ArcMatrix arcs = random_arcs(random, 5, 1.0);
  for (std::size_t h = 1; h <= 5; ++h)
    for (std::size_t m = 1; m <= 5; ++m)
      if (h != m) arcs.at(h, m) = kForbidden;
  ASSERT_NO_FATAL_FAILURE(expect_best<TypeParam>(arcs, false));
  ASSERT_NO_FATAL_FAILURE(expect_best<TypeParam>(arcs, true));
}

// One tree's arcs get scores so high that it must be the best, for lengths below
// and above multiples of the vector width.
TYPED_TEST(BestTree, IsThePlantedOneOfLongSentences) {
  for (std::size_t words = 1; words <= 90; words += words < 40 ? 1 : 7)
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 3");
      Random random(3);
      const Heads planted = best_tree<TypeParam>(random_arcs(random, words, 1.0), single_root).heads;
      ASSERT_TRUE(is_of_kind(planted, kind_of<TypeParam>(single_root)));
      ArcMatrix arcs = random_arcs(random, words, 1.0);
      for (std::size_t m = 1; m <= words; ++m) arcs.at(planted[m], m) += 2.0f;
      EXPECT_EQ(best_tree<TypeParam>(arcs, single_root).heads, planted);
    }
}

// Raising or lowering all arcs into a word does not change the ranking of trees.
TYPED_TEST(BestTree, DoesNotDependOnWhatAWordAddsToAllItsArcs) {
  for (const std::size_t words : {20, 45, 60}) {
    SCOPED_TRACE(testing::Message() << words << " words, seed 4");
    Random random(4);
    ArcMatrix arcs = random_arcs_with_ties(random, words, 10000);
    const Found before = best_tree<TypeParam>(arcs, false);
    double total = 0.0;
    for (std::size_t m = 1; m <= words; ++m) {
      const float added = static_cast<float>(random.below(1000));
      total += added;
      for (std::size_t h = 0; h <= words; ++h)
        if (h != m) arcs.at(h, m) += added;
    }
    const Found after = best_tree<TypeParam>(arcs, false);
    EXPECT_EQ(after.score, before.score + total);
    EXPECT_EQ(after.heads, before.heads);
  }
}

// The best tree with one root child is the best over all choices of that child.
TYPED_TEST(BestTree, AgreesWithTryingEveryWordAsTheRootChild) {
  for (const std::size_t words : {5, 12, 30}) {
    SCOPED_TRACE(testing::Message() << words << " words, seed 5");
    Random random(5);
    const ArcMatrix arcs = random_arcs_with_ties(random, words, 10000);
    double best = kForbidden;
    for (std::size_t child = 1; child <= words; ++child) {
      ArcMatrix forced = arcs;
      for (std::size_t m = 1; m <= words; ++m)
        if (m != child) forced.at(0, m) = kForbidden;
      best = std::max(best, best_tree<TypeParam>(forced, false).score);
    }
    EXPECT_EQ(best_tree<TypeParam>(arcs, true).score, best);
  }
}

TYPED_TEST(BestTree, DoesNotDependOnWhatTheMemoryHeldBefore) {
  Random random(6);
  TypeParam reused;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(testing::Message() << "seed 6, round " << round);
    const ArcMatrix arcs = random_arcs(random, random.below(50), round % 10 == 0 ? 1e30 : 5.0);
    const Found fresh = best_tree<TypeParam>(arcs, round % 2 == 1);
    Heads heads(arcs.words + 1);
    EXPECT_EQ(reused.best(arcs.scores(round % 2 == 1), heads), fresh.score);
    EXPECT_EQ(heads, fresh.heads);
  }
}

TYPED_TEST(BestTree, IsFoundOfTwoThousandWords) {
  Random random(7);
  const ArcMatrix arcs = random_arcs_with_ties(random, 2000, 10000);
  for (const bool single_root : {false, true}) {
    if (single_root && std::is_same_v<TypeParam, Eisner>) continue;  // takes seconds
    const Found found = best_tree<TypeParam>(arcs, single_root);
    EXPECT_TRUE(is_of_kind(found.heads, kind_of<TypeParam>(single_root)));
    EXPECT_EQ(found.score, arcs.score_of(found.heads));
  }
}

TYPED_TEST(BestTree, OfNoWordsIsZero) {
  for (const bool single_root : {false, true}) {
    Heads heads(1, 5);
    EXPECT_EQ(TypeParam().best({nullptr, 0, 1, single_root}, heads), 0.0);
    EXPECT_EQ(heads, Heads(1, 0));
  }
}

// Projective trees are trees, and in any tree each word has exactly one head.
TEST(ChuLiuEdmonds, IsNoWorseThanEisnerAndNoBetterThanEveryWordOnItsOwn) {
  for (const std::size_t words : {7, 8, 15, 16, 17, 31, 32, 33, 60, 200})
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << words << " words, seed 3");
      Random random(3);
      ArcMatrix arcs = random_arcs_with_ties(random, words, 10000);
      const Found found = best_tree<ChuLiuEdmonds>(arcs, single_root);
      ASSERT_TRUE(is_of_kind(found.heads, {.single_root = single_root}));
      ASSERT_EQ(found.score, arcs.score_of(found.heads));
      EXPECT_GE(found.score, best_tree<Eisner>(arcs, single_root).score);
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

}  // namespace
}  // namespace hinge::test
