// Sums over the trees of a grammar: against lists of all trees of short sentences, and against a plain
// inside-outside algorithm for long ones.
#include "hinge/decode/cky.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "hinge/core/random.h"
#include "tests/support/instruction_sets.h"

namespace hinge::test {
namespace {

using Span = std::tuple<std::size_t, std::size_t, std::size_t>;  // symbol, begin, end
using Posteriors = std::map<Span, double>;

struct Sentence {
  std::size_t words;
  std::vector<float> tag_scores;  // [words][tags]
};

// ---- Random grammars

struct Size {
  std::size_t tags, phrases, unary, rules;
};

// Any rules; some symbols cannot be built, some rules come twice.
CkyGrammar random_grammar(Random& random, const Size& size) {
  CkyGrammar grammar;
  grammar.tags = size.tags;
  grammar.symbols = size.tags + size.phrases;
  const auto any = [&random](std::size_t n) { return static_cast<std::uint32_t>(random.below(n)); };
  const auto phrase = [&] { return static_cast<std::uint32_t>(size.tags + random.below(size.phrases)); };
  const auto probability = [&random] { return static_cast<float>(0.02 + 0.9 * random.uniform()); };
  for (std::size_t r = 0; r < size.unary; ++r)
    grammar.unary.push_back({phrase(), any(size.tags), 0, probability()});
  for (std::size_t r = 0; r < size.rules; ++r)
    grammar.rules.push_back({phrase(), any(grammar.symbols), any(grammar.symbols), probability()});
  for (std::size_t s = 0; s < grammar.symbols; ++s)
    grammar.root.push_back(random.below(3) == 0 ? 0.0f : probability());
  return grammar;
}

// A grammar of Size whose first phrase can be built of anything, so that sentences have trees.
CkyGrammar fertile_grammar(Random& random, const Size& size) {
  CkyGrammar grammar = random_grammar(random, size);
  const auto first = static_cast<std::uint32_t>(size.tags);
  grammar.rules.push_back({first, first, first, 0.3f});
  for (std::uint32_t t = 0; t < size.tags; ++t) {
    grammar.unary.push_back({first, t, 0, 0.2f});
    grammar.rules.push_back({first, t, first, 0.1f});
  }
  grammar.root[first] = 0.5f;
  return grammar;
}

Sentence random_sentence(Random& random, std::size_t words, std::size_t tags) {
  Sentence sentence{words, {}};
  for (std::size_t i = 0; i < words * tags; ++i)
    sentence.tag_scores.push_back(random.below(3) == 0 ? 0.0f : static_cast<float>(random.uniform()));
  return sentence;
}

// Every word has at least one tag.
Sentence taggable_sentence(Random& random, std::size_t words, std::size_t tags) {
  Sentence sentence = random_sentence(random, words, tags);
  for (std::size_t i = 0; i < words; ++i) sentence.tag_scores[i * tags + random.below(tags)] = 0.5f;
  return sentence;
}

// ---- All trees of a short sentence

struct Tree {
  double weight;
  std::vector<Span> spans;
};

class AllTrees {
 public:
  AllTrees(const CkyGrammar& grammar, const Sentence& sentence) : grammar_(grammar), sentence_(sentence) {}

  // False if there are too many trees.
  bool list() {
    for (std::size_t width = 1; width <= sentence_.words; ++width) {
      for (std::size_t begin = 0; begin + width <= sentence_.words; ++begin) {
        if (width == 1) add_tags(begin);
        for (const CkyRule& rule : width == 1 ? grammar_.unary : std::vector<CkyRule>())
          add(rule, trees(rule.left, begin, begin + 1), {{1.0, {}}}, {rule.parent, begin, begin + 1});
        for (std::size_t split = begin + 1; split < begin + width; ++split) {
          for (const CkyRule& rule : grammar_.rules)
            add(rule, trees(rule.left, begin, split), trees(rule.right, split, begin + width),
                {rule.parent, begin, begin + width});
        }
      }
    }
    return made_ < kMost;
  }

  // Empty if there is no tree.
  Posteriors posteriors() {
    Posteriors result;
    double total = 0.0;
    for (std::size_t s = 0; s < grammar_.symbols; ++s) {
      if (grammar_.root[s] == 0.0f) continue;
      for (const Tree& tree : trees(s, 0, sentence_.words)) {
        total += grammar_.root[s] * tree.weight;
        for (const Span& span : tree.spans) result[span] += grammar_.root[s] * tree.weight;
      }
    }
    for (auto& [span, p] : result) p /= total;
    return result;
  }

 private:
  static constexpr std::size_t kMost = 30000;

  std::vector<Tree>& trees(std::size_t symbol, std::size_t begin, std::size_t end) {
    return trees_[{symbol, begin, end}];
  }

  void add_tags(std::size_t i) {
    for (std::size_t t = 0; t < grammar_.tags; ++t) {
      const double score = sentence_.tag_scores[i * grammar_.tags + t];
      if (score > 0.0) trees(t, i, i + 1).push_back({score, {{t, i, i + 1}}});
    }
  }

  void add(const CkyRule& rule, const std::vector<Tree>& left, const std::vector<Tree>& right,
           const Span& span) {
    for (const Tree& l : left) {
      for (const Tree& r : right) {
        if (++made_ >= kMost) return;
        Tree tree{rule.probability * l.weight * r.weight, {span}};
        tree.spans.insert(tree.spans.end(), l.spans.begin(), l.spans.end());
        tree.spans.insert(tree.spans.end(), r.spans.begin(), r.spans.end());
        trees_[span].push_back(std::move(tree));
      }
    }
  }

  const CkyGrammar& grammar_;
  const Sentence& sentence_;
  std::map<Span, std::vector<Tree>> trees_;
  std::size_t made_ = 0;
};

// ---- The plain algorithm. Long doubles do not underflow.

class PlainInsideOutside {
 public:
  PlainInsideOutside(const CkyGrammar& grammar, const Sentence& sentence)
      : grammar_(grammar), words_(sentence.words) {
    const std::size_t size = grammar.symbols * (words_ + 1) * (words_ + 1);
    inside_.assign(size, 0.0L);
    outside_.assign(size, 0.0L);
    for (std::size_t i = 0; i < words_; ++i) {
      for (std::size_t t = 0; t < grammar.tags; ++t)
        inside_[at(t, i, i + 1)] = sentence.tag_scores[i * grammar.tags + t];
      for (const CkyRule& rule : grammar.unary)
        inside_[at(rule.parent, i, i + 1)] += rule.probability * inside_[at(rule.left, i, i + 1)];
    }
    each_part([this](const CkyRule& rule, std::size_t parent, std::size_t left, std::size_t right) {
      inside_[parent] += rule.probability * inside_[left] * inside_[right];
    });
  }

  // Empty if there is no tree.
  Posteriors posteriors() {
    long double total = 0.0L;
    for (std::size_t s = 0; s < grammar_.symbols; ++s) {
      outside_[at(s, 0, words_)] = grammar_.root[s];
      total += grammar_.root[s] * inside_[at(s, 0, words_)];
    }
    if (total == 0.0L) return {};
    widest_first_ = true;
    each_part([this](const CkyRule& rule, std::size_t parent, std::size_t left, std::size_t right) {
      outside_[left] += rule.probability * outside_[parent] * inside_[right];
      outside_[right] += rule.probability * outside_[parent] * inside_[left];
    });
    for (const CkyRule& rule : grammar_.unary) {
      for (std::size_t i = 0; i < words_; ++i)
        outside_[at(rule.left, i, i + 1)] += rule.probability * outside_[at(rule.parent, i, i + 1)];
    }
    Posteriors result;
    for (std::size_t s = 0; s < grammar_.symbols; ++s) {
      for (std::size_t begin = 0; begin < words_; ++begin) {
        for (std::size_t end = begin + 1; end <= words_; ++end) {
          const auto p =
              static_cast<double>(inside_[at(s, begin, end)] * outside_[at(s, begin, end)] / total);
          if (p > 0.0) result[{s, begin, end}] = p;
        }
      }
    }
    return result;
  }

 private:
  std::size_t at(std::size_t symbol, std::size_t begin, std::size_t end) const {
    return (symbol * (words_ + 1) + begin) * (words_ + 1) + end;
  }

  template <typename Use>
  void each_part(const Use& use) const {
    for (std::size_t step = 2; step <= words_; ++step) {
      const std::size_t width = widest_first_ ? words_ + 2 - step : step;
      for (std::size_t begin = 0, end = width; end <= words_; ++begin, ++end) {
        for (std::size_t split = begin + 1; split < end; ++split) {
          for (const CkyRule& rule : grammar_.rules)
            use(rule, at(rule.parent, begin, end), at(rule.left, begin, split), at(rule.right, split, end));
        }
      }
    }
  }

  const CkyGrammar& grammar_;
  std::size_t words_;
  bool widest_first_ = false;
  std::vector<long double> inside_, outside_;  // [symbols][begin][end]
};

Posteriors plain_posteriors(const CkyGrammar& grammar, const Sentence& sentence) {
  return PlainInsideOutside(grammar, sentence).posteriors();
}

// ---- Comparison

Posteriors likely(const CkyChart& chart, float threshold) {
  Posteriors found;
  chart.each_likely(threshold, [&](std::size_t symbol, std::size_t begin, std::size_t end, float p) {
    EXPECT_TRUE(found.emplace(Span(symbol, begin, end), p).second) << "symbol " << symbol << " came before";
  });
  return found;
}

double probability(const Posteriors& posteriors, const Span& span) {
  const auto found = posteriors.find(span);
  return found == posteriors.end() ? 0.0 : found->second;
}

void expect_same(const Posteriors& actual, const Posteriors& expected) {
  for (const Posteriors* one : {&actual, &expected}) {
    for (const auto& entry : *one) {
      const auto& [symbol, begin, end] = entry.first;
      ASSERT_NEAR(probability(actual, entry.first), probability(expected, entry.first), 1e-4)
          << "symbol " << symbol << " over " << begin << " to " << end;
    }
  }
}

// With all instruction sets; `expected` is empty if there is no tree.
void expect_posteriors(CkyChart& chart, const CkyGrammar& grammar, const Sentence& sentence,
                       const Posteriors& expected) {
  each_instruction_set([&](const char* name) {
    SCOPED_TRACE(name);
    ASSERT_EQ(chart.fill(grammar, sentence.words, sentence.tag_scores), !expected.empty());
    const Posteriors found = likely(chart, 0.0f);
    ASSERT_EQ(found.empty(), expected.empty());
    ASSERT_NO_FATAL_FAILURE(expect_same(found, expected));
  });
}

TEST(Cky, HasTheProbabilitiesOfAllTreesOfShortSentences) {
  CkyChart chart;  // one for all, to see that nothing is left over
  std::size_t used = 0, with_trees = 0;
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Size size{1 + random.below(3), 1 + random.below(4), random.below(4), random.below(6)};
    const CkyGrammar grammar = seed % 3 == 0 ? fertile_grammar(random, size) : random_grammar(random, size);
    const Sentence sentence = random_sentence(random, 1 + random.below(6), size.tags);
    AllTrees all(grammar, sentence);
    if (!all.list()) continue;
    const Posteriors expected = all.posteriors();
    ++used;
    with_trees += !expected.empty();
    ASSERT_NO_FATAL_FAILURE(expect_same(plain_posteriors(grammar, sentence), expected))
        << "the plain algorithm";
    ASSERT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, sentence, expected));
  }
  EXPECT_GT(used, 500u);
  EXPECT_GT(with_trees, used / 4);
  EXPECT_LT(with_trees, used * 3 / 4);
}

// Vectors have 4, 8 or 16 values: rows end before, at and behind their ends.
TEST(Cky, AgreesWithThePlainAlgorithmForSentencesOfAnyLength) {
  CkyChart chart;
  for (std::size_t words = 1; words <= 40; ++words) {
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
      SCOPED_TRACE(testing::Message() << words << " words, seed " << seed);
      Random random(seed * 100 + words);
      const Size size{2 + random.below(4), 2 + random.below(4), random.below(5), random.below(8)};
      const CkyGrammar grammar = fertile_grammar(random, size);
      const Sentence sentence = taggable_sentence(random, words, size.tags);
      const Posteriors expected = plain_posteriors(grammar, sentence);
      ASSERT_FALSE(expected.empty());
      ASSERT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, sentence, expected));
    }
  }
}

// The probability of a tree is far below the smallest number of a float, and above its largest where
// numbers are not probabilities. Every symbol may be the root and every word may have any tag, so that all
// spans of one width have similar probabilities.
TEST(Cky, DoesNotUnderflowOrOverflowInLongSentences) {
  constexpr std::size_t kWords = 150, kTags = 3;
  CkyChart chart;
  for (const float factor : {1.0f, 1e-2f, 1e-4f, 1e-7f, 1e-10f, 1e3f, 1e6f}) {
    SCOPED_TRACE(testing::Message() << "factor " << factor << ", seed 7");
    Random random(7);
    CkyGrammar grammar = fertile_grammar(random, {kTags, 3, 2, 3});
    for (CkyRule& rule : grammar.rules) rule.probability *= factor;
    for (CkyRule& rule : grammar.unary) rule.probability *= factor;
    for (float& probability : grammar.root) probability = std::max(probability, 0.2f);
    Sentence sentence = random_sentence(random, kWords, kTags);
    for (float& score : sentence.tag_scores) score = std::max(score, 0.3f);
    const Posteriors expected = plain_posteriors(grammar, sentence);
    ASSERT_FALSE(expected.empty());
    ASSERT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, sentence, expected));
  }
}

// ---- Values of one width share a scale, and those far below the highest become zero. Trees that need them
// are lost, but still count for the parts below.

// X is the root. Y occurs in no tree, but over many words it is far more probable than X.
TEST(Cky, FindsTreesOfSymbolsLessProbableThanOthers) {
  for (const std::size_t words : {4, 8, 16, 32}) {
    const CkyGrammar grammar{
        3, 1, {{1, 0, 1, 1e-3f}, {2, 0, 2, 1.0f}}, {{1, 0, 0, 1e-3f}, {2, 0, 0, 1.0f}}, {0.0f, 1.0f, 0.0f}};
    const Sentence sentence{words, std::vector<float>(words, 1.0f)};
    CkyChart chart;
    EXPECT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, sentence, plain_posteriors(grammar, sentence)))
        << words << " words";
  }
}

// The first half are common words, the second half rare ones.
Sentence uneven_sentence(std::size_t words) {
  Sentence sentence{words, std::vector<float>(2 * words, 0.0f)};
  for (std::size_t i = 0; i < words; ++i) sentence.tag_scores[2 * i + (i < words / 2 ? 0 : 1)] = 1.0f;
  return sentence;
}

TEST(Cky, FindsTheOnlyTreeOfAnUnevenSentence) {
  for (const auto& [words, rare] : {std::pair(8, 1e-8f), std::pair(16, 1e-4f), std::pair(80, 0.1f)}) {
    const CkyGrammar grammar{
        3, 2, {{2, 0, 2, 1.0f}, {2, 1, 2, rare}}, {{2, 0, 0, 1.0f}, {2, 1, 0, rare}}, {0.0f, 0.0f, 1.0f}};
    const Sentence sentence = uneven_sentence(static_cast<std::size_t>(words));
    CkyChart chart;
    EXPECT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, sentence, plain_posteriors(grammar, sentence)))
        << words << " words";
  }
}

// X branches to the right, Y to the left. The tree of X is the better one.
TEST(Cky, HasNoProbabilityAboveOne) {
  constexpr float kRare = 1e-8f;
  const CkyGrammar grammar{4,
                           2,
                           {{2, 0, 2, 1.0f}, {2, 1, 2, kRare}, {3, 3, 0, 1.0f}, {3, 3, 1, kRare}},
                           {{2, 0, 0, 1.0f}, {2, 1, 0, kRare}, {3, 0, 0, 1.0f}, {3, 1, 0, kRare}},
                           {0.0f, 0.0f, 1.0f, 1e-3f}};
  const Sentence sentence = uneven_sentence(8);
  CkyChart chart;
  expect_posteriors(chart, grammar, sentence, plain_posteriors(grammar, sentence));
}

// Tags are not looked at when values are scaled, and overflow.
TEST(Cky, IsRightWherePhrasesOfOneWordAreVeryRare) {
  for (const float rare : {1e-15f, 1e-20f, 1e-25f}) {
    const CkyGrammar grammar{2, 1, {{1, 0, 0, 1.0f}}, {{1, 0, 0, rare}}, {0.0f, 1.0f}};
    CkyChart chart;
    ASSERT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, {2, {1.0f, 1.0f}},
                                              {{{0, 0, 1}, 1.0}, {{0, 1, 2}, 1.0}, {{1, 0, 2}, 1.0}}))
        << rare;
  }
}

TEST(Cky, DoesNotDependOnTheOrderOfRules) {
  Random random(8);
  CkyGrammar grammar = fertile_grammar(random, {3, 4, 4, 8});
  const Sentence sentence = taggable_sentence(random, 20, 3);
  CkyChart chart;
  const Posteriors expected = plain_posteriors(grammar, sentence);
  for (int time = 0; time < 5; ++time) {
    random.shuffle(std::span(grammar.rules));
    random.shuffle(std::span(grammar.unary));
    ASSERT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, sentence, expected)) << "seed 8";
  }
}

TEST(Cky, UsesOnlyRatiosOfTheScoresOfAWord) {
  Random random(9);
  const CkyGrammar grammar = fertile_grammar(random, {4, 3, 3, 6});
  Sentence sentence = taggable_sentence(random, 24, 4);
  const Posteriors expected = plain_posteriors(grammar, sentence);
  for (std::size_t i = 0; i < 24; ++i) {
    const float factor = std::pow(10.0f, static_cast<float>(random.below(60)) - 30.0f);
    for (std::size_t t = 0; t < 4; ++t) sentence.tag_scores[4 * i + t] *= factor;
  }
  CkyChart chart;
  ASSERT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, sentence, expected)) << "seed 9";
}

TEST(Cky, NamesOnlyWhatIsAboveTheThreshold) {
  Random random(10);
  const CkyGrammar grammar = fertile_grammar(random, {3, 3, 3, 6});
  const Sentence sentence = taggable_sentence(random, 18, 3);
  CkyChart chart;
  ASSERT_TRUE(chart.fill(grammar, 18, sentence.tag_scores)) << "seed 10";
  const Posteriors all = likely(chart, 0.0f);
  for (const float threshold : {1e-6f, 1e-3f, 0.1f, 0.5f, 0.9f}) {
    const Posteriors some = likely(chart, threshold);
    for (const auto& entry : all) {
      if (std::abs(entry.second - threshold) < 1e-6 * threshold) continue;
      EXPECT_EQ(some.contains(entry.first), entry.second > threshold) << entry.second;
    }
  }
}

TEST(Cky, GivesEveryWordOneTag) {
  Random random(11);
  const CkyGrammar grammar = fertile_grammar(random, {5, 4, 4, 9});
  CkyChart chart;
  for (const std::size_t words : {1, 16, 17, 60}) {
    const Sentence sentence = taggable_sentence(random, words, 5);
    ASSERT_TRUE(chart.fill(grammar, words, sentence.tag_scores)) << words << " words, seed 11";
    std::vector<double> sums(words, 0.0);
    for (const auto& entry : likely(chart, 0.0f)) {
      const auto& [symbol, begin, end] = entry.first;
      if (symbol < 5) sums[begin] += entry.second;
    }
    for (const double sum : sums) EXPECT_NEAR(sum, 1.0, 1e-4) << words << " words, seed 11";
  }
}

TEST(Cky, HasNoTreeWithoutWordsOrIfAWordHasNoTag) {
  Random random(12);
  const CkyGrammar grammar = fertile_grammar(random, {2, 2, 2, 4});
  CkyChart chart;
  for (const std::size_t words : {1, 5, 20}) {
    Sentence sentence{words, std::vector<float>(2 * words, 1.0f)};
    ASSERT_TRUE(chart.fill(grammar, words, sentence.tag_scores)) << "seed 12";
    EXPECT_FALSE(likely(chart, 0.0f).empty());
    sentence.tag_scores[2 * (words / 2)] = sentence.tag_scores[2 * (words / 2) + 1] = 0.0f;
    EXPECT_FALSE(chart.fill(grammar, words, sentence.tag_scores));
    EXPECT_TRUE(likely(chart, 0.0f).empty());
    EXPECT_FALSE(chart.fill(grammar, 0, {}));
    EXPECT_TRUE(likely(chart, 0.0f).empty());
  }
}

// Only a sentence of one word may be a tag as a whole.
TEST(Cky, MayHaveATagAsItsRoot) {
  const CkyGrammar grammar{3, 2, {{2, 0, 1, 0.5f}}, {}, {0.25f, 0.5f, 0.25f}};
  CkyChart chart;
  ASSERT_NO_FATAL_FAILURE(
      expect_posteriors(chart, grammar, {1, {1.0f, 1.5f}}, {{{0, 0, 1}, 0.25}, {{1, 0, 1}, 0.75}}));
  ASSERT_NO_FATAL_FAILURE(expect_posteriors(chart, grammar, {2, {1.0f, 1.0f, 1.0f, 1.0f}},
                                            {{{0, 0, 1}, 1.0}, {{1, 1, 2}, 1.0}, {{2, 0, 2}, 1.0}}));
}

}  // namespace
}  // namespace hinge::test
