// Rules against a list of all that the definition allows.
#include "hinge/mt/extract.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/mt/occurrence.h"
#include "tests/mt/made_corpus.h"

namespace hinge::mt {
namespace {

// ---- All rules of a pair, from the definition

using Symbols = std::vector<Symbol>;

struct RuleKey {
  Symbols source, target;

  auto operator<=>(const RuleKey&) const = default;
};

struct Box {  // a pair of phrases
  std::size_t begin, end, target_begin, target_end;
};

class AllRules {
 public:
  AllRules(const SentencePair& pair, const ExtractOptions& options) : pair_(pair), options_(options) {
    for (std::size_t b = 0; b < pair.source.size(); ++b)
      for (std::size_t e = b + 1; e <= pair.source.size(); ++e)
        for (std::size_t c = 0; c < pair.target.size(); ++c)
          for (std::size_t f = c + 1; f <= pair.target.size(); ++f)
            if (is_phrase({b, e, c, f})) phrases_.push_back({b, e, c, f});
  }

  // Calls body(rule, links) for every occurrence.
  template <typename Body>
  void each(const Body& body) const {
    for (const Box& phrase : phrases_) {
      emit(phrase, {}, body);
      for (const Box& first : phrases_) {
        if (!can_be_gap(phrase, first)) continue;
        if (options_.gaps >= 1) emit(phrase, {first}, body);
        for (const Box& second : phrases_)
          if (options_.gaps >= 2 && can_be_gap(phrase, second) && second.begin > first.end)
            emit(phrase, {first, second}, body);
      }
    }
  }

 private:
  bool is_phrase(const Box& box) const {
    const auto is_size = [&](std::size_t size) { return size <= static_cast<std::size_t>(options_.phrase); };
    if (!is_size(box.end - box.begin) || !is_size(box.target_end - box.target_begin)) return false;
    bool begins = false, ends = false, target_begins = false, target_ends = false;
    for (const Link& link : pair_.links) {
      const bool in = link.source >= box.begin && link.source < box.end;
      const bool target_in = link.target >= box.target_begin && link.target < box.target_end;
      if (in != target_in) return false;
      begins = begins || (in && link.source == box.begin);
      ends = ends || (in && link.source + 1u == box.end);
      target_begins = target_begins || (in && link.target == box.target_begin);
      target_ends = target_ends || (in && link.target + 1u == box.target_end);
    }
    return begins && ends && target_begins && target_ends;
  }

  bool can_be_gap(const Box& phrase, const Box& gap) const {
    return gap.begin >= phrase.begin && gap.end <= phrase.end && gap.target_begin >= phrase.target_begin &&
           gap.target_end <= phrase.target_end &&
           gap.end - gap.begin >= static_cast<std::size_t>(options_.gap);
  }

  // The symbols of a side; number[i] is that of the symbol at a position, if it is a word.
  static Symbols side_of(std::span<const Word> words, std::size_t begin, std::size_t end,
                         const std::vector<std::pair<std::size_t, std::size_t>>& gaps,
                         std::map<std::size_t, std::size_t>& number) {
    Symbols symbols;
    for (std::size_t i = begin; i < end;) {
      const auto gap = std::find_if(gaps.begin(), gaps.end(), [&](const auto& g) { return g.first == i; });
      if (gap == gaps.end()) {
        number[i] = symbols.size();
        symbols.push_back(words[i++]);
      } else {
        symbols.push_back(gap == gaps.begin() ? kFirstGap : kSecondGap);
        i = gap->second;
      }
    }
    return symbols;
  }

  template <typename Body>
  void emit(const Box& phrase, const std::vector<Box>& gaps, const Body& body) const {
    std::vector<std::pair<std::size_t, std::size_t>> ranges, target_ranges;
    for (const Box& gap : gaps) {
      ranges.emplace_back(gap.begin, gap.end);
      target_ranges.emplace_back(gap.target_begin, gap.target_end);
    }
    std::map<std::size_t, std::size_t> number, target_number;
    RuleKey rule;
    rule.source = side_of(pair_.source, phrase.begin, phrase.end, ranges, number);
    rule.target = side_of(pair_.target, phrase.target_begin, phrase.target_end, target_ranges, target_number);
    if (rule.source.size() > static_cast<std::size_t>(options_.symbols)) return;
    if (rule.target.size() > kMostTargetSymbols) return;
    std::uint64_t links = 0;
    for (const Link& link : pair_.links) {
      if (number.contains(link.source))
        links |=
            std::uint64_t{1} << (number[link.source] * kMostTargetSymbols + target_number.at(link.target));
    }
    if (links != 0) body(rule, links);
  }

  SentencePair pair_;
  ExtractOptions options_;
  std::vector<Box> phrases_;
};

struct Counted {
  std::uint32_t count = 0;
  std::set<std::uint64_t> links;  // of the first pair in which the rule occurs
};

struct AllCounts {
  std::map<RuleKey, Counted> rules;
  std::map<Symbols, std::uint32_t> source, target;

  AllCounts(const Corpus& corpus, const ExtractOptions& options) {
    for (std::size_t i = 0; i < corpus.text.sentences(); ++i) {
      std::set<RuleKey> seen_here;
      AllRules(corpus.pair(i), options).each([&](const RuleKey& rule, std::uint64_t links) {
        Counted& counted = rules[rule];
        if (counted.count++ == 0) seen_here.insert(rule);
        if (seen_here.contains(rule)) counted.links.insert(links);
        ++source[rule.source];
        ++target[rule.target];
      });
    }
  }
};

// ---- Rules through their public interface

struct Listed {
  std::uint32_t source_count;
  std::uint32_t rule;
};

void list_rules(const Rules& rules, std::uint32_t node, Symbols& source, std::map<RuleKey, Listed>& listed) {
  const Rules::Range range = rules.rules(node);
  for (std::uint32_t r = range.begin; r < range.end; ++r) {
    const auto target = rules.target(r);
    const RuleKey key{source, Symbols(target.begin(), target.end())};
    ASSERT_TRUE(listed.try_emplace(key, Listed{rules.source_count(node), r}).second) << "a rule comes twice";
  }
  Symbol last = 0;
  bool is_first = true;
  rules.each_child(node, [&](Symbol symbol, std::uint32_t child) {
    EXPECT_TRUE(is_first || symbol > last) << "children ascend";
    is_first = false;
    last = symbol;
    EXPECT_EQ(rules.child(node, symbol), child);
    const bool has_gap = std::any_of(source.begin(), source.end(), is_gap);
    source.push_back(!is_gap(symbol) ? symbol : has_gap ? kSecondGap : kFirstGap);
    list_rules(rules, child, source, listed);
    source.pop_back();
  });
}

std::map<RuleKey, Listed> list_rules(const Rules& rules) {
  std::map<RuleKey, Listed> listed;
  Symbols source;
  list_rules(rules, Rules::kRoot, source, listed);
  EXPECT_EQ(listed.size(), rules.size());
  return listed;
}

float made_estimate(std::span<const Symbol> target) {
  float sum = 0.0f;
  for (std::size_t t = 0; t < target.size(); ++t)
    sum -= 0.25f * static_cast<float>((target[t] % 7 + 1) * (t + 1));
  return sum;
}

Rules extract(const Corpus& corpus, const ExtractOptions& options, int threads = 1) {
  Workers workers(threads);
  const Lexicon lexicon(corpus.text, corpus.alignment);
  return extract_rules(corpus.text, corpus.alignment, lexicon, options, made_estimate, workers);
}

constexpr SectionKind kKind = {
    .magic = std::string_view("RULETEST", 8),
    .format = 1,
    .what = "rules",
    .make = "make some",
    .redo = "make them again",
    .refuse = [](const std::string& message) { throw ModelError(message); },
};

std::string bytes_of(const Rules& rules) {
  SectionWriter writer(kKind);
  rules.write(writer);
  return writer.bytes();
}

// ---- Lexical weights from their definition (Koehn, Och and Marcu 2003)

struct Lexical {
  std::map<std::pair<Word, Word>, double> count;  // source, target
  std::map<Word, double> source, target;

  explicit Lexical(const Corpus& corpus) {
    for (std::size_t i = 0; i < corpus.text.sentences(); ++i) {
      const SentencePair pair = corpus.pair(i);
      std::set<std::size_t> linked, target_linked;
      for (const Link& link : pair.links) {
        add(pair.source[link.source], pair.target[link.target]);
        linked.insert(link.source);
        target_linked.insert(link.target);
      }
      for (std::size_t s = 0; s < pair.source.size(); ++s)
        if (!linked.contains(s)) add(pair.source[s], Lexicon::kNothing);
      for (std::size_t t = 0; t < pair.target.size(); ++t)
        if (!target_linked.contains(t)) add(Lexicon::kNothing, pair.target[t]);
    }
  }
  void add(Word f, Word e) {
    count[{f, e}] += 1;
    source[f] += 1;
    target[e] += 1;
  }
  double pair(Word f, Word e) const {
    const auto found = count.find({f, e});
    return found == count.end() ? 0.0 : found->second;
  }
  double target_given_source(Word e, Word f) const { return pair(f, e) / source.at(f); }
  double source_given_target(Word f, Word e) const { return pair(f, e) / target.at(e); }
};

bool has_link(std::uint64_t links, std::size_t s, std::size_t t) {
  return (links >> (s * kMostTargetSymbols + t) & 1) != 0;
}

// log of the product over words of one side of the mean over their links.
template <typename Linked, typename Weight>
double lexical_weight(const Symbols& side, const Symbols& other, const Linked& linked, const Weight& weight) {
  double product = 1.0;
  for (std::size_t i = 0; i < side.size(); ++i) {
    if (is_gap(side[i])) continue;
    double sum = 0.0;
    int n = 0;
    for (std::size_t j = 0; j < other.size(); ++j) {
      if (!linked(i, j)) continue;
      sum += weight(side[i], other[j]);
      ++n;
    }
    product *= n == 0 ? weight(side[i], Lexicon::kNothing) : sum / n;
  }
  return std::log(product);
}

void expect_values(const RuleKey& key, const RuleValues& values, const AllCounts& counts,
                   const Lexical& lexical) {
  const Counted& counted = counts.rules.at(key);
  EXPECT_EQ(values.count, counted.count);
  EXPECT_NEAR(values.target_given_source, std::log(1.0 * counted.count / counts.source.at(key.source)), 1e-5);
  EXPECT_NEAR(values.source_given_target, std::log(1.0 * counted.count / counts.target.at(key.target)), 1e-5);
  EXPECT_TRUE(counted.links.contains(values.links)) << "other links than in the text";
  EXPECT_EQ(values.language_model, made_estimate(key.target));
  const auto linked = [&](std::size_t s, std::size_t t) { return has_link(values.links, s, t); };
  const double forward = lexical_weight(
      key.target, key.source, [&](std::size_t t, std::size_t s) { return linked(s, t); },
      [&](Word e, Word f) { return lexical.target_given_source(e, f); });
  const double backward = lexical_weight(key.source, key.target, linked,
                                         [&](Word f, Word e) { return lexical.source_given_target(f, e); });
  EXPECT_NEAR(values.lex_target_given_source, forward, 1e-4);
  EXPECT_NEAR(values.lex_source_given_target, backward, 1e-4);
}

void expect_all_rules(const Corpus& corpus, const ExtractOptions& options) {
  const AllCounts counts(corpus, options);
  const Lexical lexical(corpus);
  const Rules rules = extract(corpus, options);
  const auto listed = list_rules(rules);
  for (const auto& [key, rule] : listed)
    EXPECT_TRUE(counts.rules.contains(key))
        << ::testing::PrintToString(key.source) << " " << ::testing::PrintToString(key.target);
  ASSERT_EQ(listed.size(), counts.rules.size());
  for (const auto& [key, counted] : counts.rules) {
    const auto found = listed.find(key);
    ASSERT_NE(found, listed.end()) << ::testing::PrintToString(key.source) << " "
                                   << ::testing::PrintToString(key.target);
    EXPECT_EQ(found->second.source_count, counts.source.at(key.source));
    expect_values(key, rules.values(found->second.rule), counts, lexical);
    if (::testing::Test::HasFailure()) {
      FAIL() << ::testing::PrintToString(key.source) << " " << ::testing::PrintToString(key.target);
    }
  }
}

// As many as there are, for those tests that prune nothing.
ExtractOptions unlimited() {
  ExtractOptions options;
  options.targets = 1'000'000;
  return options;
}

// ---- Tests

TEST(Extract, GivesAllRulesOfSmallPairsWithTheirValues) {
  std::size_t with_two_gaps = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Corpus corpus = random_corpus(seed, 1 + seed % 12, 8, 2 + seed % 4);
    ASSERT_NO_FATAL_FAILURE(expect_all_rules(corpus, unlimited()));
    for (const auto& [key, counted] : AllCounts(corpus, unlimited()).rules)
      with_two_gaps += std::count_if(key.source.begin(), key.source.end(), is_gap) == 2;
  }
  EXPECT_GT(with_two_gaps, 100u);
}

TEST(Extract, KeepsEveryLimit) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Random random(seed);
    ExtractOptions options = unlimited();
    options.phrase = static_cast<std::int64_t>(1 + random.below(15));
    options.symbols = static_cast<std::int64_t>(1 + random.below(5));
    options.gaps = static_cast<std::int64_t>(random.below(3));
    options.gap = static_cast<std::int64_t>(1 + random.below(3));
    SCOPED_TRACE(::testing::Message()
                 << "seed " << seed << ": phrase " << options.phrase << ", symbols " << options.symbols
                 << ", gaps " << options.gaps << ", gap " << options.gap);
    ASSERT_NO_FATAL_FAILURE(expect_all_rules(random_corpus(seed + 100, 6, 16, 5), options));
  }
}

TEST(Extract, TakesRulesOfLongPairsToo) {
  const Corpus corpus = random_corpus(7, 3, 100, 40);
  expect_all_rules(corpus, unlimited());
}

// A target side of fifteen words has too many symbols unless a gap takes some of them out.
TEST(Extract, LeavesOutRulesWithTooManyTargetSymbols) {
  ExtractOptions options = unlimited();
  options.phrase = 15;
  Corpus corpus{bitext_of({{"a b", "t0 t1 t2 t3 t4 t5 t6 t7 t8 t9 t10 t11 t12 t13 t14"}}), {}};
  std::vector<Link> links;
  for (std::uint16_t t = 0; t < 15; ++t) links.push_back({static_cast<std::uint16_t>(t < 5 ? 0 : 1), t});
  corpus.alignment.add(links);
  expect_all_rules(corpus, options);
  EXPECT_EQ(extract(corpus, options).size(), 4u);  // a, b, X b, a X
}

TEST(OccurrenceFinder, FindsEveryOccurrenceOnce) {
  const ExtractOptions options = unlimited();
  OccurrenceFinder finder(options);  // one for all, to see that nothing is left over
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Corpus corpus = random_corpus(seed, 5, 12, 3);
    for (std::size_t i = 0; i < corpus.text.sentences(); ++i) {
      std::vector<std::pair<RuleKey, std::uint64_t>> expected, found;
      AllRules(corpus.pair(i), options).each([&](const RuleKey& rule, std::uint64_t links) {
        expected.emplace_back(rule, links);
      });
      for (const Occurrence& occurrence : finder.find(corpus.pair(i))) {
        const RuleText text = text_of(corpus.pair(i), occurrence);
        const auto source = text.source_symbols(), target = text.target_symbols();
        EXPECT_EQ(occurrence.target_symbols, target.size());
        found.emplace_back(RuleKey{{source.begin(), source.end()}, {target.begin(), target.end()}},
                           text.links);
        for (Symbol& symbol : found.back().first.source) {  // numbered from left to right
          if (is_gap(symbol))
            symbol =
                &symbol - found.back().first.source.data() == occurrence.first_begin ? kFirstGap : kSecondGap;
        }
      }
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      ASSERT_EQ(found, expected) << "pair " << i;
    }
  }
}

std::size_t count_bytes(const Corpus& corpus, const ExtractOptions& options) {
  std::size_t occurrences = 0;
  OccurrenceFinder finder(options);
  for (std::size_t i = 0; i < corpus.text.sentences(); ++i) occurrences += finder.find(corpus.pair(i)).size();
  return 24 * occurrences;
}

TEST(Extract, IsTheSameInSeveralPassesAndWithAnyNumberOfThreads) {
  const Corpus corpus = random_corpus(3, 600, 30, 60);
  ExtractOptions options;
  ASSERT_GT(count_bytes(corpus, options), 2u << 20) << "at least three passes with a megabyte";
  const std::string one = bytes_of(extract(corpus, options));
  for (const int threads : {1, 2, 3}) {
    for (const std::int64_t memory : {1, 2000}) {
      options.memory = memory;
      EXPECT_EQ(bytes_of(extract(corpus, options, threads)), one)
          << threads << " threads, " << memory << " MB";
    }
  }
}

TEST(Extract, CanBeInterruptedFromTheFirstPairToTheLastRule) {
  const Corpus corpus = random_corpus(3, 100, 10, 60);
  std::size_t calls = 0;
  {
    const InterruptScope count([&] { ++calls; });
    extract(corpus, {});
  }
  EXPECT_GT(calls, 2u * 100 + 64) << "two readings of every pair, the buckets, source sides and values";
  const InterruptScope stop([&] {
    if (--calls == 0) throw Interrupted();
  });
  EXPECT_THROW(extract(corpus, {}), Interrupted);
}

TEST(Extract, CountsRightInSeveralPasses) {
  ExtractOptions options = unlimited();
  options.memory = 1;
  const Corpus corpus = random_corpus(4, 350, 30, 60);
  ASSERT_GT(count_bytes(corpus, options), 1u << 20);
  expect_all_rules(corpus, options);
}

TEST(Extract, LeavesOutRareRulesAndKeepsTheCountsOfTheRest) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Corpus corpus = random_corpus(seed, 30, 8, 3);
    ExtractOptions options = unlimited();
    const AllCounts counts(corpus, options);
    options.min_count = static_cast<std::int64_t>(2 + seed % 3);
    const Rules rules = extract(corpus, options);
    const auto listed = list_rules(rules);
    for (const auto& [key, counted] : counts.rules)
      EXPECT_EQ(listed.contains(key), counted.count >= options.min_count);
    for (const auto& [key, rule] : listed) {
      EXPECT_EQ(rule.source_count, counts.source.at(key.source));
      expect_values(key, rules.values(rule.rule), counts, Lexical(corpus));
    }
  }
}

TEST(Extract, KeepsTheMostFrequentTargetsOfASource) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    const Corpus corpus = random_corpus(seed, 60, 8, 3);
    ExtractOptions options = unlimited();
    const AllCounts counts(corpus, options);
    std::map<Symbols, std::vector<std::uint32_t>> all, kept;
    for (const auto& [key, counted] : counts.rules) all[key.source].push_back(counted.count);
    options.targets = static_cast<std::int64_t>(1 + seed % 4);
    const Rules rules = extract(corpus, options);
    for (const auto& [key, rule] : list_rules(rules)) {
      kept[key.source].push_back(rules.values(rule.rule).count);
      EXPECT_EQ(rule.source_count, counts.source.at(key.source));
      expect_values(key, rules.values(rule.rule), counts, Lexical(corpus));
    }
    ASSERT_EQ(kept.size(), all.size());
    for (auto& [source, best] : all) {
      std::sort(best.rbegin(), best.rend());
      best.resize(std::min(best.size(), static_cast<std::size_t>(options.targets)));
      std::sort(kept[source].rbegin(), kept[source].rend());
      EXPECT_EQ(kept[source], best);
    }
  }
}

TEST(Extract, OfPairsWithoutLinksGivesNoRules) {
  Corpus corpus{bitext_of({{"a b c", "x y"}, {"a", "x"}}), {}};
  for (int i = 0; i < 2; ++i) corpus.alignment.add({});
  const Rules rules = extract(corpus, {});
  EXPECT_EQ(rules.size(), 0u);
  EXPECT_EQ(rules.child(Rules::kRoot, corpus.text.source.words.find("a")), Rules::kNone);
}

TEST(Lexicon, HasRelativeFrequenciesOfLinksAndOfWordsWithout) {
  const Corpus corpus = random_corpus(11, 40, 9, 5);
  const Lexicon lexicon(corpus.text, corpus.alignment);
  const Lexical expected(corpus);
  for (const auto& [f, f_count] : expected.source) {
    for (const auto& [e, e_count] : expected.target) {
      EXPECT_NEAR(lexicon.target_given_source(e, f), expected.pair(f, e) / f_count, 1e-12);
      EXPECT_NEAR(lexicon.source_given_target(f, e), expected.pair(f, e) / e_count, 1e-12);
    }
  }
}

}  // namespace
}  // namespace hinge::mt
