// ROUGE against rouge-score and counts by hand.
#include "hinge/evaluate/rouge.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "hinge/core/random.h"
#include "hinge/evaluate/common_subsequence.h"
#include "tests/evaluate/rouge_figures.h"

namespace hinge {
namespace {

constexpr RougeOptions kPlain = {.stem = false};

PrecisionRecall score(RougeType type, const std::vector<std::string>& references,
                      const std::string& candidate, const RougeOptions& options = kPlain) {
  RougeReader reader(options);
  std::vector<RougeText> texts;
  for (const std::string& reference : references) texts.push_back(reader.reference(reference));
  return rouge(type, reader.candidate(candidate), texts, options);
}

void expect_scores(const PrecisionRecall& scores, double precision, double recall, double f1) {
  EXPECT_NEAR(scores.precision, precision, 1e-5);
  EXPECT_NEAR(scores.recall, recall, 1e-5);
  EXPECT_NEAR(scores.f1, f1, 1e-5);
}

TEST(Rouge, GivesTheFiguresOfRougeScore) {
  for (const bool stem : {false, true}) {
    const RougeOptions options{.stem = stem, .references = RougeReferences::kBest};
    for (const test::RougeFigures& figures : test::kRougeFigures) {
      const auto& table = stem ? figures.stemmed : figures.plain;
      for (std::size_t type = 0; type < table.size(); ++type) {
        SCOPED_TRACE(figures.what + ", " + std::string(rouge_name(static_cast<RougeType>(type))));
        const auto& [precision, recall, f1] = table[type];
        expect_scores(score(static_cast<RougeType>(type), figures.references, figures.candidate, options),
                      precision, recall, f1);
      }
    }
  }
}

// Reference a b c d: a b c as words, all six pairs: 9. Candidate a c x: a c as words, ac ax cx: 5.
TEST(Rouge, CountsSkipBigramsAndWordsAsDoneByHand) {
  expect_scores(score(RougeType::kSu4, {"a b c d"}, "a c x"), 300.0 / 5, 300.0 / 9, 600.0 / 14);
}

TEST(Rouge, PairsWordsAcrossFourOthersButNotFive) {
  EXPECT_GT(score(RougeType::kSu4, {"q z"}, "q 1 2 3 4 z").recall, 99.0);
  // Only the word q is left of q and qz.
  EXPECT_NEAR(score(RougeType::kSu4, {"q z"}, "q 1 2 3 4 5 z").recall, 50.0, 1e-9);
}

// Recall 1/4, 2/4, 3/3; precision 1/4, 2/4, 3/4.
TEST(Rouge, CombinesReferencesInEveryWay) {
  const std::vector<std::string> references = {"a x x x", "a b x x", "a b c"};
  const auto by = [&](RougeReferences how) {
    return score(RougeType::kOne, references, "a b c d", {.stem = false, .references = how});
  };
  expect_scores(by(RougeReferences::kAverage), 50.0, 175.0 / 3, (25.0 + 50.0 + 600.0 / 7) / 3);
  expect_scores(by(RougeReferences::kBest), 75.0, 100.0, 600.0 / 7);
  expect_scores(by(RougeReferences::kSummed), 600.0 / 12, 600.0 / 11, 1200.0 / 23);
}

TEST(Rouge, TakesTheReferenceOfBestRecallOrOfBestF1) {
  // Recall 1/1 and F1 2/5 against the first; recall 3/4 and F1 6/8 against the second.
  const std::vector<std::string> references = {"a", "a b c x"};
  const RougeOptions recall{.stem = false, .references = RougeReferences::kBestRecall};
  const RougeOptions f1{.stem = false, .references = RougeReferences::kBest};
  expect_scores(score(RougeType::kOne, references, "a b c d", recall), 25.0, 100.0, 40.0);
  expect_scores(score(RougeType::kOne, references, "a b c d", f1), 75.0, 75.0, 75.0);
}

// Leaving out the best leaves the second best; leaving out another leaves the best.
TEST(Rouge, JackknifesByLeavingOutEachReference) {
  const RougeOptions options{.stem = false, .references = RougeReferences::kBest, .jackknife = true};
  const std::vector<std::string> references = {"a x x x", "a b x x", "a b c x"};
  expect_scores(score(RougeType::kOne, references, "a b c d", options), (50.0 + 2 * 75.0) / 3,
                (50.0 + 2 * 75.0) / 3, (50.0 + 2 * 75.0) / 3);
  expect_scores(score(RougeType::kOne, {"a b x x"}, "a b c d", options), 50.0, 50.0, 50.0);
}

TEST(Rouge, CutsTheCandidateAtTheWordLimit) {
  const RougeOptions options{.stem = false, .word_limit = 3};
  // "well-known" stands between spaces, so it is one word of the limit and two that match.
  expect_scores(score(RougeType::kOne, {"a well known b c"}, "a well-known\nb c d", options), 100.0, 80.0,
                800.0 / 9);
  const RougeOptions both{.stem = false, .word_limit = 3, .limit_references = true};
  expect_scores(score(RougeType::kOne, {"a b c d e"}, "a b c d e", both), 100.0, 100.0, 100.0);
  expect_scores(score(RougeType::kOne, {"a b c d e"}, "a b c d e", options), 100.0, 60.0, 75.0);
}

TEST(Rouge, RemovesStopWordsBeforeItPairsWords) {
  const RougeOptions options{.stem = false, .remove_stop_words = true};
  expect_scores(score(RougeType::kTwo, {"bread and the butter"}, "bread with butter", options), 100.0, 100.0,
                100.0);
}

TEST(Rouge, IsZeroWithoutReferencesOrWords) {
  expect_scores(score(RougeType::kOne, {}, "a b"), 0.0, 0.0, 0.0);
  for (std::size_t type = 0; type < kRougeTypes; ++type) {
    expect_scores(score(static_cast<RougeType>(type), {"", "..."}, ""), 0.0, 0.0, 0.0);
  }
}

std::size_t longest_by_enumeration(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  std::size_t longest = 0;
  for (std::size_t mask = 0; mask < std::size_t{1} << a.size(); ++mask) {
    std::size_t at = 0, length = 0;
    for (std::size_t i = 0; i < a.size() && at <= b.size(); ++i) {
      if ((mask >> i & 1) == 0) continue;
      while (at < b.size() && b[at] != a[i]) ++at;
      length = at < b.size() ? length + 1 : 0;
      ++at;
    }
    if (at <= b.size()) longest = std::max(longest, length);
  }
  return longest;
}

TEST(CommonSubsequence, IsAsLongAsTheLongestFoundByEnumeration) {
  Random random(7);
  CommonSubsequence subsequence;
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint64_t> a(random.below(9)), b(random.below(9));
    for (auto& word : a) word = random.below(4);
    for (auto& word : b) word = random.below(4);
    const std::size_t longest = longest_by_enumeration(a, b);
    EXPECT_EQ(subsequence.length(a, b), longest) << "round " << round;
    std::vector<std::uint8_t> in_a(a.size());
    subsequence.mark(a, b, in_a);
    EXPECT_EQ(static_cast<std::size_t>(std::count(in_a.begin(), in_a.end(), 1)), longest)
        << "round " << round;
  }
}

// Bigrams ab, bc, cd of the first and ab, bx of the second.
TEST(BigramRecall, CountsEachBigramOncePerReferenceThatHasIt) {
  RougeReader reader(kPlain);
  const std::vector<RougeText> references = {reader.reference("q r s t"), reader.reference("q r x")};
  const BigramRecall recall(references, /*drop_stop_bigrams=*/false);
  EXPECT_EQ(recall.total(), 5u);
  EXPECT_NEAR(recall.recall(reader.candidate("q r q r s")), 300.0 / 5, 1e-9);
  EXPECT_EQ(recall.recall(reader.candidate("q\nr")), 0.0) << "bigrams do not cross sentences";
  EXPECT_EQ(BigramRecall({}, false).recall(references[0]), 0.0);
}

TEST(BigramRecall, DropsBigramsOfTwoStopWords) {
  RougeReader reader(kPlain);
  const std::vector<RougeText> references = {reader.reference("bread of the baker")};
  EXPECT_EQ(BigramRecall(references, false).total(), 3u);
  const BigramRecall recall(references, true);
  EXPECT_EQ(recall.total(), 2u);
  EXPECT_NEAR(recall.recall(reader.candidate("of the baker")), 50.0, 1e-9);
}

TEST(RougeCorpus, HasMeansAndTheirStandardErrors) {
  RougeCorpus corpus;
  for (const double f1 : {10.0, 20.0, 60.0}) {
    RougeScores scores;
    scores[static_cast<std::size_t>(RougeType::kTwo)] = {1.0, 2.0, f1};
    corpus.add(scores);
  }
  const auto two = static_cast<std::size_t>(RougeType::kTwo);
  EXPECT_NEAR(corpus.means()[two].f1, 30.0, 1e-9);
  // Squares 400, 100, 900: variance 700, of the mean 700 / 3.
  EXPECT_NEAR(corpus.standard_errors()[two].f1, 15.275252316519467, 1e-9);
  EXPECT_EQ(corpus.standard_errors()[two].recall, 0.0);
  const Evaluation evaluation = corpus.evaluate();
  EXPECT_EQ(evaluation.scores.front().first, "rouge2");
  EXPECT_NEAR(evaluation.scores.front().second, 30.0, 1e-9);
}

}  // namespace
}  // namespace hinge
