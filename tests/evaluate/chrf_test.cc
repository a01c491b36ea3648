// chrF against values computed by hand and against n-grams cut from strings.
#include "hinge/evaluate/chrf.h"

#include <gtest/gtest.h>

#include <map>

#include "hinge/core/random.h"

namespace hinge {
namespace {

std::vector<float> stats_of(const std::vector<std::string>& references, const std::string& hypothesis,
                            const ChrfOptions& options = {}) {
  ChrfMetric metric(options);
  std::vector<Words> split(references.size());
  for (std::size_t r = 0; r < references.size(); ++r) split_words(references[r], split[r]);
  metric.set_references(split);
  Words words;
  split_words(hypothesis, words);
  std::vector<float> stats(metric.width());
  metric.count(words, stats);
  return stats;
}

double score_of(const std::vector<std::string>& references, const std::string& hypothesis,
                const ChrfOptions& options = {}) {
  return ChrfMetric(options).sentence_score(stats_of(references, hypothesis, options));
}

constexpr ChrfOptions kPlusPlus = {.word_order = 2};

TEST(Chrf, CountsCharacterNgramsWithoutTheSpaces) {
  EXPECT_EQ(stats_of({"ab ab"}, "a bb"), (std::vector<float>{3, 4, 3,  // a, b, b
                                                             2, 3, 1,  // ab, bb
                                                             1, 2, 0,  // abb
                                                             0, 1, 0,  // only in the reference
                                                             0, 0, 0, 0, 0, 0}));
}

TEST(Chrf, AveragesOverTheOrdersBothAreLongEnoughFor) {
  const double precision = (3. / 3 + 1. / 2 + 0. / 1) / 3;
  const double recall = (3. / 4 + 1. / 3 + 0. / 2) / 3;
  EXPECT_NEAR(score_of({"ab ab"}, "a bb"), 100 * 5 * precision * recall / (4 * precision + recall), 1e-9);
}

TEST(Chrf, WeighsRecallByBeta) {
  const ChrfOptions even = {.character_order = 1, .beta = 1.0};
  EXPECT_NEAR(score_of({"abcd"}, "ab", even), 100 * 2 * 1.0 * 0.5 / (1.0 + 0.5), 1e-9);
  const ChrfOptions recall = {.character_order = 1, .beta = 1000.0};
  EXPECT_NEAR(score_of({"abcd"}, "ab", recall), 50.0, 1e-3);
}

TEST(Chrf, LeavesOutNgramsTheReferenceIsTooShortFor) {
  const std::vector<float> stats = stats_of({"ab"}, "abcdef");
  EXPECT_EQ(std::vector<float>(stats.begin(), stats.begin() + 9),
            (std::vector<float>{6, 2, 2, 5, 1, 1, 0, 0, 0}));
}

TEST(Chrf, TakesCharactersNotBytes) {
  EXPECT_EQ(stats_of({"äö"}, "äü", {.character_order = 2}), (std::vector<float>{2, 2, 1, 1, 1, 0}));
  EXPECT_EQ(stats_of({"\xC3"}, "\xC3\xA4", {.character_order = 1}),
            (std::vector<float>{1, 1, 0}));  // invalid UTF-8
  EXPECT_EQ(stats_of({"a\xFF"}, "\xFF\xFE", {.character_order = 1}), (std::vector<float>{2, 2, 1}));
}

TEST(Chrf, TakesTheReferenceWithTheBetterScoreTheFirstOfEquals) {
  EXPECT_EQ(stats_of({"xyz", "abcz", "abc"}, "abc"), stats_of({"abc"}, "abc"));
  EXPECT_EQ(stats_of({"xyz", "uvwuvw"}, "abc"), stats_of({"xyz"}, "abc"));
  EXPECT_EQ(stats_of({"", "ab"}, "ab"), stats_of({"ab"}, "ab"));
}

TEST(Chrf, WithWordsTakesOneMarkOfPunctuationOffAWord) {
  const ChrfOptions words = {.character_order = 0, .word_order = 2};
  EXPECT_EQ(stats_of({"(hi ) there !"}, "(hi) there!", words), (std::vector<float>{4, 5, 3, 3, 4, 2}));
  EXPECT_EQ(stats_of({"( hi"}, "(hi", words), (std::vector<float>{2, 2, 2, 1, 1, 1}));
  EXPECT_EQ(stats_of({"! ..."}, "! .. .", words), (std::vector<float>{4, 3, 2, 3, 2, 0}));
  EXPECT_EQ(stats_of({"don't"}, "don't", words), (std::vector<float>{1, 1, 1, 0, 0, 0}));
}

// ---- Against strings in a map

using Text = std::vector<std::string>;  // of characters or words
using Counts = std::map<Text, int>;

Counts count(const Text& text, std::size_t n) {
  Counts counts;
  for (std::size_t i = 0; i + n <= text.size(); ++i) ++counts[Text(&text[i], &text[i] + n)];
  return counts;
}

void append_stats(const Text& reference, const Text& hypothesis, std::size_t n, std::vector<float>& stats) {
  const Counts there = count(reference, n);
  int in_hypothesis = 0, in_reference = 0, matches = 0;
  for (const auto& [ngram, times] : there) in_reference += times;
  for (const auto& [ngram, times] : count(hypothesis, n)) {
    in_hypothesis += times;
    if (there.contains(ngram)) matches += std::min(times, there.at(ngram));
  }
  stats.push_back(static_cast<float>(there.empty() ? 0 : in_hypothesis));
  stats.push_back(static_cast<float>(in_reference));
  stats.push_back(static_cast<float>(matches));
}

Text draw(Random& random) {
  Text words(random.below(6));
  for (std::string& word : words) {
    word = std::string(1 + random.below(3), 'a');
    for (char& c : word) c = static_cast<char>('a' + random.below(3));
  }
  return words;
}

Text characters_of(const Text& words) {
  Text characters;
  for (const std::string& word : words) {
    for (const char c : word) characters.emplace_back(1, c);
  }
  return characters;
}

std::string joined(const Text& words) {
  std::string text;
  for (const std::string& word : words) text.append(word).append(" ");
  return text;
}

TEST(Chrf, CountsWhatAMapOfStringsCounts) {
  Random random(9);
  for (int round = 0; round < 500; ++round) {
    const Text reference = draw(random), hypothesis = draw(random);
    std::vector<float> expected;
    for (std::size_t n = 1; n <= 6; ++n) {
      append_stats(characters_of(reference), characters_of(hypothesis), n, expected);
    }
    for (std::size_t n = 1; n <= 2; ++n) append_stats(reference, hypothesis, n, expected);
    ASSERT_EQ(stats_of({joined(reference)}, joined(hypothesis), kPlusPlus), expected)
        << joined(reference) << "| " << joined(hypothesis);
  }
}

TEST(Chrf, OfNothingIsZero) {
  EXPECT_EQ(chrf(std::vector<double>(18)), 0.0);
  EXPECT_EQ(score_of({""}, ""), 0.0);
  EXPECT_EQ(score_of({""}, "a", kPlusPlus), 0.0);
  EXPECT_EQ(score_of({"a"}, "", kPlusPlus), 0.0);
}

}  // namespace
}  // namespace hinge
