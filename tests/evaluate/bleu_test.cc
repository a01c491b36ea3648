// BLEU against values computed by hand, counts in a map, and sacrebleu's
// smoothing methods.
#include "hinge/evaluate/bleu.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "hinge/core/random.h"
#include "tests/evaluate/sacrebleu_figures.h"

namespace hinge {
namespace {

using Ids = std::vector<std::uint32_t>;

BleuStats stats_of(const std::vector<std::string>& references, const std::string& hypothesis) {
  WordIds ids;
  BleuCounter counter;
  Words words;
  Ids sentence;
  for (const std::string& reference : references) {
    split_words(reference, words);
    ids.add_all(words, sentence);
    counter.add_reference(sentence);
  }
  split_words(hypothesis, words);
  ids.find_all(words, sentence);
  return counter.count(sentence);
}

double root4(double product) { return 100.0 * std::pow(product, 0.25); }

constexpr BleuOptions kNone = {.smoothing = BleuSmoothing::kNone};
constexpr BleuOptions kFloor = {.smoothing = BleuSmoothing::kFloor, .value = 0.1};
constexpr BleuOptions kAddOne = {.smoothing = BleuSmoothing::kAddK, .value = 1.0};

TEST(Bleu, CountsAWordNoMoreOftenThanTheReferenceThatHasMostOfIt) {
  const BleuStats stats =
      stats_of({"the cat is on the mat", "there is a cat on the mat"}, "the the the the the the the");
  EXPECT_EQ(stats.match, (std::array<double, 4>{2, 0, 0, 0}));
  EXPECT_EQ(stats.total, (std::array<double, 4>{7, 6, 5, 4}));
  EXPECT_EQ(stats.length, 7);
  EXPECT_EQ(stats.reference_length, 7);
}

TEST(Bleu, TakesTheClosestReferenceLengthAndTheShorterOfTwoAsClose) {
  const std::vector<std::string> references = {"a b c d e f", "a b", "a b c d e f g h i"};
  EXPECT_EQ(stats_of(references, "").reference_length, 2);
  EXPECT_EQ(stats_of(references, "x y z w").reference_length, 2);
  EXPECT_EQ(stats_of(references, "x y z w v").reference_length, 6);
  EXPECT_EQ(stats_of(references, "x y z w v u t s").reference_length, 9);
  EXPECT_EQ(stats_of({"a b", "a b c d e f"}, "x y z w").reference_length, 2);
}

TEST(Bleu, IsTheGeometricMeanOfThePrecisions) {
  EXPECT_NEAR(bleu(stats_of({"a b c d f"}, "a b c d e")), root4(4. / 5 * 3 / 4 * 2 / 3 * 1 / 2), 1e-9);
}

TEST(Bleu, PaysForBrevityButNotForLength) {
  EXPECT_NEAR(bleu(stats_of({"a b c d e f"}, "a b c d")), 100.0 * std::exp(1.0 - 6.0 / 4.0), 1e-9);
  EXPECT_NEAR(bleu(stats_of({"a b c d"}, "a b c d e f")), root4(4. / 6 * 3 / 5 * 2 / 4 * 1 / 3), 1e-9);
}

TEST(Bleu, IsSmoothedAsWorkedOutByHand) {
  const BleuStats stats = stats_of({"a b c d e f"}, "a b x c d y");  // 4/6, 2/5, 0/4, 0/3
  EXPECT_NEAR(bleu(stats), root4(4. / 6 * 2 / 5 * 1 / 8 * 1 / 12), 1e-9);
  EXPECT_EQ(bleu(stats, kNone), 0.0);
  EXPECT_NEAR(bleu(stats, kFloor), root4(4. / 6 * 2 / 5 * 0.1 / 4 * 0.1 / 3), 1e-9);
  EXPECT_NEAR(bleu(stats, kAddOne), root4(4. / 6 * 3 / 6 * 1 / 5 * 1 / 4), 1e-9);
  EXPECT_DOUBLE_EQ(sentence_bleu(stats), bleu(stats, kAddOne));
}

TEST(Bleu, WithAnySmoothingIsThatOfSacrebleu) {
  for (const test::Corpus& corpus : test::all_corpora()) {
    BleuStats sum;
    for (const test::Segment& segment : corpus.segments) {
      sum += stats_of(segment.references, segment.hypothesis);
    }
    EXPECT_NEAR(bleu(sum), corpus.figures.bleu_exp, 1e-7) << corpus.what;
    EXPECT_NEAR(bleu(sum, kNone), corpus.figures.bleu_none, 1e-7) << corpus.what;
    EXPECT_NEAR(bleu(sum, kFloor), corpus.figures.bleu_floor, 1e-7) << corpus.what;
    EXPECT_NEAR(bleu(sum, kAddOne), corpus.figures.bleu_add_k, 1e-7) << corpus.what;
  }
}

TEST(Bleu, OfEffectiveOrderLeavesOutOrdersTheSentenceIsTooShortFor) {
  const BleuStats stats = stats_of({"the cat sat down"}, "the cat sat");
  EXPECT_EQ(bleu(stats), 0.0);
  EXPECT_NEAR(bleu(stats, {.effective_order = true}), 100.0 * std::exp(1.0 - 4.0 / 3.0), 1e-9);
  const BleuStats wrong = stats_of({"the cat sat down"}, "the dog");  // 1/2, then 0/1 smoothed to 1/2
  EXPECT_NEAR(bleu(wrong, {.effective_order = true}), 100.0 * std::exp(-1.0) * 0.5, 1e-9);
}

TEST(Bleu, IsZeroWithoutAMatchAndWithoutWords) {
  for (const BleuOptions& options : {BleuOptions{}, kNone, kFloor, kAddOne, {.effective_order = true}}) {
    EXPECT_EQ(bleu({}, options), 0.0);
    EXPECT_EQ(bleu(stats_of({"a b c d"}, "x y z w"), options), 0.0);
    EXPECT_EQ(bleu(stats_of({"a b c d"}, ""), options), 0.0);
    EXPECT_EQ(bleu(stats_of({""}, "a b c d"), options), 0.0);
    EXPECT_EQ(bleu(stats_of({""}, ""), options), 0.0);
  }
}

TEST(Bleu, OfASentenceGivesShortOnesTheirDue) {
  EXPECT_NEAR(sentence_bleu(stats_of({"yes"}, "yes")), 100.0, 1e-9);
  EXPECT_NEAR(sentence_bleu(stats_of({"yes sir"}, "yes")), 100.0 * std::exp(-1.0), 1e-9);
  EXPECT_NEAR(sentence_bleu(stats_of({"a b c"}, "a b x")), root4(2. / 3 * 2 / 3 * 1 / 2), 1e-9);
}

TEST(Bleu, InTheContextOfOtherSentencesIsArithmeticOnStatistics) {
  const BleuStats first = stats_of({"a b c d e"}, "a b c d x");
  const BleuStats second = stats_of({"f g h i"}, "f g x i");
  const BleuStats better = stats_of({"f g h i"}, "f g h i");
  const BleuStats corpus = first + second;
  EXPECT_EQ(corpus - second + better, first + better);
  EXPECT_EQ(corpus - first - second, BleuStats{});
  EXPECT_GT(bleu(corpus - second + better), bleu(corpus));
}

TEST(Bleu, OfACorpusMayFade) {
  // Scaling all statistics by the same factor changes no ratio.
  const BleuStats stats = stats_of({"a b c d e f"}, "a b c d x");
  BleuStats faded = stats;
  for (std::size_t n = 0; n < kBleuOrder; ++n) faded.match[n] *= 0.25, faded.total[n] *= 0.25;
  faded.length *= 0.25;
  faded.reference_length *= 0.25;
  EXPECT_NEAR(bleu(faded), bleu(stats), 1e-9);
}

// ---- Against counts in a map

using Counts = std::map<Ids, double>;

Counts count(const Ids& words) {
  Counts counts;
  for (std::size_t n = 1; n <= 4; ++n) {
    for (std::size_t i = 0; i + n <= words.size(); ++i) ++counts[Ids(&words[i], &words[i] + n)];
  }
  return counts;
}

BleuStats stats_by_map(const std::vector<Ids>& references, const Ids& words) {
  Counts limits;
  std::map<std::pair<double, double>, double> lengths;  // by distance, then length
  const auto size = static_cast<double>(words.size());
  for (const Ids& reference : references) {
    for (const auto& [ngram, times] : count(reference)) limits[ngram] = std::max(limits[ngram], times);
    const auto length = static_cast<double>(reference.size());
    lengths[{std::abs(length - size), length}] = length;
  }
  BleuStats stats;
  stats.length = size;
  stats.reference_length = lengths.begin()->second;
  for (const auto& [ngram, times] : count(words)) {
    stats.total[ngram.size() - 1] += times;
    stats.match[ngram.size() - 1] += std::min(times, limits[ngram]);
  }
  return stats;
}

Ids draw(Random& random) {
  Ids words(random.below(15));
  for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.below(4)) * 1000000007u;
  return words;
}

TEST(Bleu, CountsWhatAMapOfNgramsCounts) {
  Random random(3);
  BleuCounter counter;
  for (int round = 0; round < 500; ++round) {
    std::vector<Ids> references(1 + random.below(4));
    counter.clear();
    for (Ids& reference : references) counter.add_reference(reference = draw(random));
    for (int hypothesis = 0; hypothesis < 4; ++hypothesis) {
      const Ids words = draw(random);
      ASSERT_EQ(counter.count(words), stats_by_map(references, words)) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace hinge
