// Edit distances against recursion and a search through all moves, and the error
// rates computed from them. metric_test.cc compares TER with sacrebleu.
#include "hinge/evaluate/edit_rate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "hinge/core/random.h"

namespace hinge {
namespace {

using Ids = std::vector<std::uint32_t>;

std::vector<float> stats_of(Metric&& metric, const std::vector<std::string>& references,
                            const std::string& hypothesis) {
  std::vector<Words> split(references.size());
  for (std::size_t r = 0; r < references.size(); ++r) split_words(references[r], split[r]);
  metric.set_references(split);
  Words words;
  split_words(hypothesis, words);
  std::vector<float> stats(metric.width());
  metric.count(words, stats);
  return stats;
}

using Stats = std::vector<float>;

TEST(Wer, CountsInsertionsDeletionsAndReplacements) {
  EXPECT_EQ(stats_of(WerMetric(), {"a b c d"}, "a b c d"), (Stats{0, 4}));
  EXPECT_EQ(stats_of(WerMetric(), {"a b c d"}, "a b d"), (Stats{1, 4}));
  EXPECT_EQ(stats_of(WerMetric(), {"a b c d"}, "a x b c d y"), (Stats{2, 4}));
  EXPECT_EQ(stats_of(WerMetric(), {"a b c d"}, "b c d a"), (Stats{2, 4}));
  EXPECT_EQ(stats_of(WerMetric(), {"a b c d"}, ""), (Stats{4, 4}));
  EXPECT_EQ(stats_of(WerMetric(), {"a"}, "x y z"), (Stats{3, 1}));
}

TEST(Wer, TakesTheReferenceOfTheLowestRate) {
  EXPECT_EQ(stats_of(WerMetric(), {"a b", "a b c d e f g h"}, "a c d e f g h"), (Stats{1, 8}));
  EXPECT_EQ(stats_of(WerMetric(), {"a x c d e f g h", "a x"}, "a b c d e f g h"), (Stats{1, 8}));
  EXPECT_EQ(stats_of(WerMetric(), {"a x", "a b y d"}, "a b c d"), (Stats{1, 4}));
  EXPECT_EQ(stats_of(WerMetric(), {"x y", "a"}, "a b"), (Stats{2, 2}));  // the first of equals
  EXPECT_EQ(stats_of(WerMetric(), {"a", "x y"}, "a b"), (Stats{1, 1}));
}

TEST(Wer, TakesAReferenceWithoutWordsOnlyForAHypothesisWithoutAny) {
  EXPECT_EQ(stats_of(WerMetric(), {"", "x y"}, "a b c d e"), (Stats{5, 2}));
  EXPECT_EQ(stats_of(WerMetric(), {"x y", ""}, ""), (Stats{0, 0}));
  EXPECT_EQ(stats_of(WerMetric(), {"", ""}, "a b"), (Stats{2, 0}));
}

TEST(Ter, MovesWordsByOneEditHoweverMany) {
  EXPECT_EQ(stats_of(TerMetric(), {"a b c d e f"}, "d e f a b c"), (Stats{1, 6}));
  EXPECT_EQ(stats_of(TerMetric(), {"a b c d e f"}, "b a c d f e"), (Stats{2, 6}));
  EXPECT_EQ(stats_of(TerMetric(), {"a b c d e f"}, "a b x d e"), (Stats{2, 6}));
  EXPECT_EQ(stats_of(TerMetric(), {"a b c d e f"}, "f a b c d x"), (Stats{2, 6}));
}

TEST(Ter, TakesTheFewestEditsOverTheMeanLength) {
  EXPECT_EQ(stats_of(TerMetric(), {"a b c", "a b c d e f"}, "a b c d"), (Stats{1, 4.5}));
  EXPECT_EQ(stats_of(TerMetric(), {"", "a b c"}, "a x c"), (Stats{1, 1.5}));
  EXPECT_EQ(stats_of(TerMetric(), {""}, "a b"), (Stats{2, 0}));
  EXPECT_EQ(stats_of(TerMetric(), {"a b"}, ""), (Stats{2, 2}));
}

TEST(ErrorRate, IsInPercentOfTheWordsOfTheReferences) {
  EXPECT_EQ(error_rate(1, 4), 25.0);
  EXPECT_EQ(error_rate(3, 1), 300.0);
  EXPECT_EQ(error_rate(2, 0), 100.0);
  EXPECT_EQ(error_rate(0, 0), 0.0);
}

// ---- Distances

std::size_t recursive_distance(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  if (a[0] == b[0]) return recursive_distance(a.subspan(1), b.subspan(1));
  return 1 + std::min({recursive_distance(a.subspan(1), b.subspan(1)), recursive_distance(a.subspan(1), b),
                       recursive_distance(a, b.subspan(1))});
}

Ids draw(Random& random, std::size_t longest, std::size_t vocabulary) {
  Ids words(random.below(longest + 1));
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.below(vocabulary));
  return words;
}

TEST(EditDistance, IsThatOfTheRecursion) {
  Random random(1);
  EditDistance distance;
  for (int round = 0; round < 500; ++round) {
    const Ids words = draw(random, 7, 4), reference = draw(random, 7, 4);
    ASSERT_EQ(distance.edits(words, reference), recursive_distance(words, reference)) << "round " << round;
    ASSERT_EQ(distance.edits(reference, words), distance.edits(words, reference));
  }
}

// All sentences one move away.
std::set<Ids> moved(const Ids& words) {
  std::set<Ids> results;
  const auto n = static_cast<std::ptrdiff_t>(words.size());
  for (std::ptrdiff_t begin = 0; begin < n; ++begin) {
    for (std::ptrdiff_t middle = begin + 1; middle < n; ++middle) {
      for (std::ptrdiff_t end = middle + 1; end <= n; ++end) {
        Ids result = words;
        std::rotate(result.begin() + begin, result.begin() + middle, result.begin() + end);
        results.insert(result);
      }
    }
  }
  return results;
}

// The smallest number of edits, over all sentences that moves can reach.
std::size_t fewest_edits(const Ids& words, const Ids& reference) {
  EditDistance distance;
  std::set<Ids> reached = {words}, newest = {words};
  std::size_t fewest = distance.edits(words, reference);
  for (std::size_t moves = 1; !newest.empty() && moves < fewest; ++moves) {
    std::set<Ids> next;
    for (const Ids& sentence : newest) {
      for (const Ids& result : moved(sentence)) {
        if (reached.insert(result).second) next.insert(result);
      }
    }
    for (const Ids& sentence : next) fewest = std::min(fewest, moves + distance.edits(sentence, reference));
    newest = next;
  }
  return fewest;
}

TEST(ShiftDistance, IsNoLessThanTheBestThereIsNorMoreThanWithoutMoves) {
  Random random(2);
  ShiftDistance shifts;
  EditDistance plain;
  int best = 0;
  for (int round = 0; round < 300; ++round) {
    const Ids words = draw(random, 6, 5), reference = draw(random, 6, 5);
    const std::size_t edits = shifts.edits(words, reference);
    const std::size_t fewest = fewest_edits(words, reference);
    ASSERT_GE(edits, fewest) << "round " << round;
    ASSERT_LE(edits, plain.edits(words, reference)) << "round " << round;
    best += edits == fewest;
  }
  EXPECT_GT(best, 290);  // greedy, but rarely wrong on six words
}

TEST(ShiftDistance, OfASentenceToItselfIsNothingAtAnyLength) {
  ShiftDistance shifts;
  for (const std::size_t length : {0, 1, 24, 25, 26, 51, 52, 200}) {
    Ids words(length);
    std::iota(words.begin(), words.end(), 0u);
    EXPECT_EQ(shifts.edits(words, words), 0u) << length;
    Ids rotated = words;
    if (length > 0) std::rotate(rotated.begin(), rotated.begin() + 1, rotated.end());
    const std::size_t expected = length < 2 ? 0 : length <= 51 ? 1 : 2;  // no word moves farther than 50
    EXPECT_EQ(shifts.edits(rotated, words), expected) << length;
  }
}

// The limits are part of the definition of TER; figures from sacrebleu.
TEST(ShiftDistance, MovesTenWordsAtATime) {
  ShiftDistance shifts;
  for (const std::size_t half : {9, 10, 11, 12}) {
    Ids words(2 * half);
    std::iota(words.begin(), words.end(), 0u);
    Ids swapped = words;
    std::rotate(swapped.begin(), swapped.begin() + static_cast<std::ptrdiff_t>(half), swapped.end());
    EXPECT_EQ(shifts.edits(swapped, words), half <= 10 ? 1u : 2u) << half;
  }
}

TEST(ShiftDistance, SeesNoWordsFarFromTheDiagonal) {
  ShiftDistance shifts;
  Ids reference(100);
  std::iota(reference.begin(), reference.end(), 0u);
  for (const std::size_t late : {23, 24, 25, 26}) {
    const auto offset = static_cast<std::ptrdiff_t>(late);
    Ids later(late, 999u);
    later.insert(later.end(), reference.begin(), reference.end() - offset);
    EXPECT_EQ(shifts.edits(later, reference), late <= 25 ? 2 * late : 100) << late;
    Ids earlier(reference.begin() + offset, reference.end());
    earlier.insert(earlier.end(), late, 999u);
    EXPECT_EQ(shifts.edits(earlier, reference), late <= 24 ? 2 * late : 100) << late;
  }
}

TEST(ShiftDistance, OfSentencesOfVeryDifferentLengthsIsTheDifference) {
  ShiftDistance shifts;
  for (const std::size_t length : {60, 200, 1000}) {
    Ids words(length);
    std::iota(words.begin(), words.end(), 0u);
    EXPECT_EQ(shifts.edits(Ids{}, words), length);
    EXPECT_EQ(shifts.edits(words, Ids{}), length);
    EXPECT_EQ(shifts.edits(Ids{words.back()}, words), length - 1);
    EXPECT_EQ(shifts.edits(words, Ids{0}), length - 1);
    EXPECT_EQ(shifts.edits(Ids{0}, words), length);  // too far from the diagonal, also in sacrebleu
    EXPECT_EQ(shifts.edits(Ids{7777}, words), length);
  }
}

}  // namespace
}  // namespace hinge
