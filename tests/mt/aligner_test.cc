#include "hinge/mt/aligner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/mt/directed_aligner.h"
#include "hinge/mt/word_pairs.h"
#include "tests/mt/made_bitext.h"

namespace hinge::mt {
namespace {

TEST(WordPairs, AreNumberedOncePerPairOfWords) {
  Workers workers(2);
  const Bitext text = random_bitext(1, 50, 9, 12);
  const WordPairs pairs = number_pairs(text, workers);
  std::map<std::pair<Word, Word>, std::uint32_t> numbers;
  std::size_t cell = 0;
  for (std::size_t i = 0; i < text.sentences(); ++i) {
    for (const Word source : text.source.sentence(i)) {
      for (const Word target : text.target.sentence(i)) {
        const std::uint32_t number = pairs.number[cell++];
        EXPECT_EQ(numbers.try_emplace({source, target}, number).first->second, number);
        EXPECT_EQ(pairs.target[number], target);
        EXPECT_GE(number, pairs.source_begin[source]);
        EXPECT_LT(number, pairs.source_begin[source + 1]);
      }
    }
  }
  EXPECT_EQ(cell, pairs.cells());
  EXPECT_EQ(numbers.size(), pairs.pairs());
}

TEST(Digamma, IsTheSlopeOfLogGamma) {
  for (const double x : {0.01, 0.5, 1.0, 3.3, 6.9, 7.1, 1000.0}) {
    const double step = 1e-4 * x;
    EXPECT_NEAR(digamma(x), (std::lgamma(x + step) - std::lgamma(x - step)) / (2 * step), 1e-6 * (1 + 1 / x));
  }
}

// One EM step of model 2 with maps, from uniform tables.
struct MapTable {
  std::map<std::pair<Word, Word>, double> count;
  std::map<Word, double> sum, null;
  double null_sum = 0.0;

  MapTable(const Bitext& text, Direction direction, double p0, double tension) {
    for (std::size_t s = 0; s < text.sentences(); ++s) {
      const auto given = given_side(text, direction).sentence(s),
                 made = made_side(text, direction).sentence(s);
      for (std::size_t j = 0; j < made.size(); ++j) {
        double partition = 0.0;
        const auto near = [&](std::size_t i) {
          return std::exp(-tension * diagonal_distance(j + 1, made.size(), i + 1, given.size()));
        };
        for (std::size_t i = 0; i < given.size(); ++i) partition += near(i);
        for (std::size_t i = 0; i < given.size(); ++i) {
          count[{given[i], made[j]}] += (1 - p0) * near(i) / partition;
          sum[given[i]] += (1 - p0) * near(i) / partition;
        }
        null[made[j]] += p0;
        null_sum += p0;
      }
    }
  }
};

TEST(DirectedAligner, FirstIterationIsTheOneWithMaps) {
  const Bitext text = random_bitext(2, 20, 6, 5);
  Workers workers(1);
  const WordPairs pairs = number_pairs(text, workers);
  for (const Direction direction : {Direction::kForward, Direction::kReverse}) {
    DirectedAligner aligner(text, pairs, direction, {0.1, 0.0, 4.0, /*fit_tension=*/false}, workers);
    aligner.expect();
    aligner.maximize();
    MapTable expected(text, direction, 0.1, 4.0);
    for (Word source = 0; source < pairs.source_words(); ++source) {
      for (std::uint32_t k = pairs.source_begin[source]; k < pairs.source_begin[source + 1]; ++k) {
        const Word given = direction == Direction::kForward ? source : pairs.target[k];
        const Word made = direction == Direction::kForward ? pairs.target[k] : source;
        EXPECT_NEAR(aligner.table().pairs()[k], (expected.count[{given, made}] / expected.sum[given]), 1e-6);
      }
    }
    for (const auto& [word, count] : expected.null)
      EXPECT_NEAR(aligner.table().null_words()[word], count / expected.null_sum, 1e-6);
  }
}

TEST(DirectedAligner, VariationalBayesIsItsFormula) {
  const Bitext text = bitext_of({{"a", "x"}, {"a b", "x y"}});
  Workers workers(1);
  const WordPairs pairs = number_pairs(text, workers);
  DirectedAligner aligner(text, pairs, Direction::kForward, {0.1, 0.5, 4.0, /*fit_tension=*/false}, workers);
  aligner.expect();
  aligner.maximize();
  MapTable expected(text, Direction::kForward, 0.1, 4.0);
  const Word a = text.source.words.find("a"), x = text.target.words.find("x");
  const double value = std::exp(digamma(expected.count[{a, x}] + 0.5) - digamma(expected.sum[a] + 2 * 0.5));
  EXPECT_NEAR(aligner.table().pairs()[pairs.number[0]], value, 1e-6);
}

TEST(DirectedAligner, LikelihoodNeverFalls) {
  const Bitext text = random_bitext(3, 200, 15, 40);
  Workers workers(1);
  const WordPairs pairs = number_pairs(text, workers);
  for (const Direction direction : {Direction::kForward, Direction::kReverse}) {
    DirectedAligner aligner(text, pairs, direction, {0.1, 0.0, 4.0, /*fit_tension=*/true}, workers);
    for (const AlignModel model : {AlignModel::kDiagonal, AlignModel::kJumps}) {
      aligner.use(model);
      double before = aligner.expect();
      const double first = before;
      for (int k = 0; k < 15; ++k) {
        aligner.maximize();
        const double after = aligner.expect();
        EXPECT_GE(after, before - 1e-6 * std::abs(before)) << "iteration " << k;
        before = after;
      }
      EXPECT_GT(before, first + 10.0);
    }
  }
}

// Word k translates to word k of the other language; neighbours are exchanged now
// and then, and some words have no translation.
struct Synthetic {
  explicit Synthetic(std::size_t sentences) {
    Random random(7);
    std::vector<std::pair<std::string, std::string>> lines;
    for (std::size_t i = 0; i < sentences; ++i) {
      const std::size_t n = 1 + random.below(15);
      std::vector<std::uint16_t> order(n);
      std::iota(order.begin(), order.end(), std::uint16_t{0});
      for (std::size_t k = 0; k + 1 < n; ++k)
        if (random.below(4) == 0) std::swap(order[k], order[k + 1]);
      std::vector<std::uint64_t> words(n);
      std::string source, target;
      for (std::uint64_t& word : words) {
        word = random.below(1 + random.below(300));  // frequent and rare ones
        source += "s" + std::to_string(word) + " ";
      }
      std::vector<Link> pair;
      for (std::uint16_t at = 0; const std::uint16_t from : order) {
        if (random.below(20) == 0) target += "noise ", ++at;
        pair.push_back({from, at++});
        target += "t" + std::to_string(words[from]) + " ";
      }
      lines.emplace_back(source, target);
      links.add(pair);
    }
    text = bitext_of(lines);
  }

  Bitext text;
  Alignment links;
};

TEST(Aligner, RecoversAWordForWordTranslation) {
  const Synthetic synthetic(1500);
  Workers workers(1);
  for (const auto& [model, most] : {std::pair<std::string, double>{"ibm2", 4.0}, {"hmm", 2.0}}) {
    for (const bool agree : {false, true}) {
      AlignOptions options;
      options.aligner = model;
      options.agree = agree;
      const Alignment found = align(synthetic.text, options, workers);
      EXPECT_LT(alignment_error(synthetic.links, synthetic.links, found).error, most) << model << agree;
    }
  }
}

TEST(Aligner, GivesTheSameLinksAtAnyNumberOfThreads) {
  const Synthetic synthetic(300);
  for (const auto& [model, agree] :
       {std::pair<std::string, bool>{"ibm2", false}, {"hmm", false}, {"hmm", true}}) {
    AlignOptions options;
    options.aligner = model;
    options.agree = agree;
    std::vector<double> perplexities;  // of one thread: equal to the last bit
    Alignment first;
    for (const int threads : {1, 2, 3}) {
      Workers workers(threads);
      std::vector<double> seen;
      const Alignment found = align(synthetic.text, options, workers, [&](const AlignStep& step) {
        seen.push_back(step.perplexity);
        seen.push_back(step.tension);
      });
      if (threads == 1) first = found, perplexities = seen;
      EXPECT_EQ(found.links, first.links);
      EXPECT_EQ(found.begin, first.begin);
      EXPECT_EQ(seen, perplexities);
      EXPECT_EQ(seen.size(), 2u * 2u * (model == "hmm" ? 10u : 5u));
    }
  }
}

TEST(Aligner, TakesShortLongAndEmptyInput) {
  Random random(9);
  const std::string word = "a", words = random_line(random, 100, 100);
  const Bitext text = bitext_of({{word, word}, {word, words}, {words, word}, {words, words}, {"", ""}});
  Workers workers(1);
  for (const std::string model : {"ibm2", "hmm"}) {
    for (const double alpha : {0.0, 0.01}) {
      AlignOptions options;
      options.aligner = model;
      options.align_alpha = alpha;
      const Alignment found = align(text, options, workers, [&](const AlignStep& step) {
        EXPECT_TRUE(std::isfinite(step.perplexity)) << model << " " << step.iteration;
      });
      ASSERT_EQ(found.sentences(), text.sentences());
      for (std::size_t i = 0; i < text.sentences(); ++i) {
        for (const Link& link : found.pair(i)) {
          EXPECT_LT(link.source, text.source.sentence(i).size());
          EXPECT_LT(link.target, text.target.sentence(i).size());
        }
      }
      EXPECT_EQ(align(Bitext(), options, workers).sentences(), 0u);
    }
  }
}

TEST(Aligner, RecoversSentencesOfOneWordAndOfAHundred) {
  for (const std::size_t length : {1u, 100u}) {
    Random random(4);
    std::vector<std::pair<std::string, std::string>> lines;
    std::vector<std::vector<Link>> links;
    for (std::size_t i = 0; i < 2000 / length; ++i) {
      const std::string line = random_line(random, length, 200);
      lines.emplace_back(line, line);
      for (links.emplace_back(); links.back().size() < length;)
        links.back().push_back({static_cast<std::uint16_t>(links.back().size()),
                                static_cast<std::uint16_t>(links.back().size())});
    }
    Workers workers(1);
    const Alignment truth = alignment_of(links), found = align(bitext_of(lines), AlignOptions(), workers);
    EXPECT_LT(alignment_error(truth, truth, found).error, 3.0) << length;
  }
}

TEST(Aligner, AgreementTrainsOnTheProductOfBothDirections) {
  const Bitext text = bitext_of({{"a b", "x y z"}, {"b c", "y"}});
  Workers workers(1);
  const WordPairs pairs = number_pairs(text, workers);
  const DirectedOptions options = {0.1, 0.0, 4.0, /*fit_tension=*/false};
  DirectedAligner forward(text, pairs, Direction::kForward, options, workers);
  DirectedAligner reverse(text, pairs, Direction::kReverse, options, workers);
  forward.expect();
  reverse.expect();
  const std::vector<float> first = forward.links(), second = reverse.links();
  agree_on(forward.links(), reverse.links(), workers);
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_FLOAT_EQ(forward.links()[k], first[k] * second[k]);
    EXPECT_EQ(reverse.links()[k], forward.links()[k]);
  }
  // b occurs in cells 3..5 (with x, y, z) and 6 (with y).
  const std::vector<float>& links = forward.links();
  const double sum = static_cast<double>(links[3] + links[4] + links[5] + links[6]);
  forward.maximize();
  EXPECT_NEAR(forward.table().pairs()[pairs.number[4]], static_cast<double>(links[4] + links[6]) / sum, 1e-6);
}

TEST(Aligner, ForwardLinksAreThoseOfTheSourceAlone) {
  const Synthetic synthetic(100);
  Workers workers(1);
  AlignOptions options;
  options.symmetrize = "source";
  const Alignment found = align(synthetic.text, options, workers);
  for (std::size_t i = 0; i < found.sentences(); ++i) {
    std::vector<int> seen(synthetic.text.target.sentence(i).size());
    for (const Link& link : found.pair(i)) EXPECT_EQ(++seen[link.target], 1);
  }
}

TEST(Aligner, RefusesAWrongOption) {
  AlignOptions options;
  OptionTable table("align");
  options.describe(table);
  EXPECT_THROW(table.set("aligner", "ibm5"), OptionError);
  EXPECT_THROW(table.set("null_probability", "0"), OptionError);
  table.set("symmetrize", "union");
  EXPECT_EQ(options.symmetrize, "union");
}

TEST(Aligner, RefusesASentenceTooLongForItsLinks) {
  Bitext text = bitext_of({{"a", "b"}});
  text.source.tokens.assign(70000, 0);
  text.source.begin = {0, 70000};
  Workers workers(1);
  EXPECT_THROW(align(text, AlignOptions(), workers), InputError);
}

}  // namespace
}  // namespace hinge::mt
