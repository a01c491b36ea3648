// For all metrics: agreement with sacrebleu, sums that can be subtracted again,
// and empty sentences.
#include "hinge/evaluate/metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "hinge/core/error.h"
#include "hinge/corpus/text_source.h"
#include "tests/evaluate/sacrebleu_figures.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::Corpus;
using test::Segment;

Words words_of(std::string_view text) {
  Words words;
  split_words(text, words);
  return words;
}

void set_references(Metric& metric, const std::vector<std::string>& references) {
  std::vector<Words> split;
  for (const std::string& reference : references) split.push_back(words_of(reference));
  metric.set_references(split);
}

std::vector<float> stats_of(Metric& metric, const Segment& segment) {
  set_references(metric, segment.references);
  std::vector<float> stats(metric.width(), NAN);  // count() must write them all
  metric.count(words_of(segment.hypothesis), stats);
  return stats;
}

double corpus_score(std::string_view name, const std::vector<Segment>& segments) {
  const std::unique_ptr<Metric> metric = make_metric(name);
  std::vector<double> sum(metric->width());
  for (const Segment& segment : segments) add_stats(1.0, stats_of(*metric, segment), sum);
  return metric->score(sum);
}

TEST(Metric, ScoresOfACorpusAreThoseOfSacrebleu) {
  for (const Corpus& corpus : test::all_corpora()) {
    EXPECT_NEAR(corpus_score("bleu", corpus.segments), corpus.figures.bleu_exp, 1e-6) << corpus.what;
    EXPECT_NEAR(corpus_score("chrf", corpus.segments), corpus.figures.chrf, 1e-6) << corpus.what;
    EXPECT_NEAR(corpus_score("chrf++", corpus.segments), corpus.figures.chrf_plus_plus, 1e-6) << corpus.what;
    // The mean length of three references is a float and inexact.
    EXPECT_NEAR(corpus_score("ter", corpus.segments), corpus.figures.ter, 1e-5) << corpus.what;
  }
}

TEST(Metric, TheStatisticsOfASentenceDoNotDependOnWhatWasCountedBefore) {
  for (const std::string_view name : metric_names()) {
    const std::unique_ptr<Metric> used = make_metric(name);
    for (const Corpus& corpus : test::all_corpora()) {
      for (const Segment& segment : corpus.segments) {
        const std::unique_ptr<Metric> fresh = make_metric(name);
        ASSERT_EQ(stats_of(*used, segment), stats_of(*fresh, segment)) << name << ": " << corpus.what;
      }
    }
  }
}

TEST(Metric, ManyHypothesesOfOneSentenceCountAsEachAlone) {
  const std::vector<std::string> references = {"a b c d e f", "a c e b d f g"};
  const std::vector<std::string> hypotheses = {"a b c",           "",  "f e d c b a",
                                               "a a a a a a a a", "x", "a b c d e f"};
  for (const std::string_view name : metric_names()) {
    const std::unique_ptr<Metric> metric = make_metric(name);
    set_references(*metric, references);
    for (const std::string& hypothesis : hypotheses) {
      std::vector<float> stats(metric->width());
      metric->count(words_of(hypothesis), stats);
      const std::unique_ptr<Metric> fresh = make_metric(name);
      EXPECT_EQ(stats, stats_of(*fresh, {references, hypothesis})) << name << ": " << hypothesis;
    }
  }
}

TEST(Metric, ASentenceTakenOutAndAnotherPutInIsTheCorpusWithTheOther) {
  for (const std::string_view name : metric_names()) {
    const std::unique_ptr<Metric> metric = make_metric(name);
    std::vector<Segment> segments = test::written_corpora()[10].segments;
    std::vector<double> sum(metric->width());
    for (const Segment& segment : segments) add_stats(1.0, stats_of(*metric, segment), sum);
    const double before = metric->score(sum);

    const std::vector<float> old = stats_of(*metric, segments[1]);
    segments[1].hypothesis = "he gave a letter to his sister";
    add_stats(-1.0, old, sum);
    add_stats(1.0, stats_of(*metric, segments[1]), sum);
    EXPECT_DOUBLE_EQ(metric->score(sum), corpus_score(name, segments)) << name;
    EXPECT_NE(metric->score(sum), before) << name;
  }
}

TEST(Metric, APerfectHypothesisCostsNothingHoweverShort) {
  for (const std::string_view name : metric_names()) {
    const std::unique_ptr<Metric> metric = make_metric(name);
    for (const char* text : {"yes", "oh no", "the quick brown fox jumps over it"}) {
      const std::vector<float> stats = stats_of(*metric, {{"quite another thing", text}, text});
      EXPECT_NEAR(metric->cost(metric->sentence_score(stats)), 0.0, 1e-9) << name << ": " << text;
    }
  }
}

TEST(Metric, WordsThatAreAllWrongCostAll) {
  for (const std::string_view name : metric_names()) {
    const std::unique_ptr<Metric> metric = make_metric(name);
    const std::vector<float> stats = stats_of(*metric, {{"abc def"}, "xyz uvw"});
    EXPECT_EQ(metric->cost(metric->sentence_score(stats)), 100.0) << name;
  }
}

TEST(Metric, AnEmptyHypothesisCostsAllThatTheReferenceHas) {
  for (const std::string_view name : metric_names()) {
    const std::unique_ptr<Metric> metric = make_metric(name);
    const std::vector<float> stats = stats_of(*metric, {{"some words"}, ""});
    EXPECT_EQ(metric->cost(metric->sentence_score(stats)), 100.0) << name;
  }
}

TEST(Metric, AnEmptyReferenceGivesFiniteScores) {
  for (const std::string_view name : metric_names()) {
    const std::unique_ptr<Metric> metric = make_metric(name);
    for (const char* hypothesis : {"", "word", "four words in all"}) {
      const std::vector<float> stats = stats_of(*metric, {{""}, hypothesis});
      const double expected = metric->is_error() && std::string(hypothesis).empty() ? 0.0 : 100.0;
      EXPECT_EQ(metric->cost(metric->sentence_score(stats)), expected) << name << ": " << hypothesis;
    }
    EXPECT_TRUE(std::isfinite(metric->score(std::vector<double>(metric->width())))) << name;
  }
}

TEST(Metric, ASentenceWithoutReferencesIsRefused) {
  for (const std::string_view name : metric_names()) {
    EXPECT_THROW(make_metric(name)->set_references({}), InputError) << name;
  }
}

TEST(Metric, EachHasTheNameItIsMadeBy) {
  for (const std::string_view name : metric_names()) EXPECT_EQ(make_metric(name)->name(), name);
}

TEST(Metric, AnUnknownNameIsRefusedWithOneThatIsKnown) {
  try {
    make_metric("blue");
    FAIL();
  } catch (const OptionError& error) {
    EXPECT_NE(std::string(error.what()).find("bleu"), std::string::npos) << error.what();
  }
}

// First hypotheses of the n-best lists; sacrebleu 2.6.0 as in sacrebleu_figures.h.
TEST(Metric, ScoresOfRealTranslationsAreThoseOfSacrebleu) {
  HINGE_DATA_FILE(nbest_path, "mt/multi30k_nbest/val.nbest.gz");
  HINGE_DATA_FILE(references_path, "mt/multi30k_nbest/val.ref");
  std::vector<Segment> segments;
  std::istringstream references(read_text(references_path));
  for (std::string line; std::getline(references, line);) segments.push_back({{line}, ""});
  std::istringstream nbest(read_text(nbest_path));
  std::size_t next = 0;
  for (std::string line; std::getline(nbest, line);) {
    const std::size_t bars = line.find(" ||| ");
    if (std::stoul(line) != next) continue;
    segments[next++].hypothesis = line.substr(bars + 5, line.find(" ||| ", bars + 5) - bars - 5);
  }
  ASSERT_EQ(next, segments.size());
  EXPECT_NEAR(corpus_score("bleu", segments), 39.9498954771, 1e-8);
  EXPECT_NEAR(corpus_score("chrf", segments), 61.8657356632, 1e-8);
  EXPECT_NEAR(corpus_score("chrf++", segments), 61.5148002773, 1e-8);
  EXPECT_NEAR(corpus_score("ter", segments), 35.9332732191, 1e-8);
}

}  // namespace
}  // namespace hinge
