// Small random translation models, and all translations of a sentence with all their
// features: listed by recursion from the definitions, with strings and maps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "hinge/mt/extract.h"
#include "hinge/mt/n_best.h"
#include "hinge/mt/ngram_estimate.h"
#include "tests/mt/made_corpus.h"

namespace hinge::mt::test {

struct WorldOptions {
  std::size_t sentences = 12;
  std::size_t vocabulary = 4;
  std::int64_t order = 3;
  std::int64_t targets = 3;
  Word frequent = Words::kNone;
};

// A model from random aligned text.
class World {
 public:
  World(std::uint64_t seed, const WorldOptions& options)
      : corpus_(random_corpus(seed, options.sentences, 7, options.vocabulary)),
        workers_(1),
        language_model_(estimate_ngrams(corpus_.text.target, {.order = options.order}, workers_)) {
    ExtractOptions extract;
    extract.targets = options.targets;
    const Lexicon lexicon(corpus_.text, corpus_.alignment);
    rules_ = extract_rules(
        corpus_.text, corpus_.alignment, lexicon, extract, [](std::span<const Symbol>) { return 0.0f; },
        workers_);
    parts_ = {&corpus_.text.source.words, &corpus_.text.target.words, &rules_, &language_model_,
              options.frequent};
  }
  World(const World&) = delete;

  const Parts& parts() const { return parts_; }

 private:
  Corpus corpus_;
  Workers workers_;
  NgramModel language_model_;
  Rules rules_;
  Parts parts_;
};

using Sparse = std::map<std::string, double>;  // by name
using Texts = std::vector<std::string>;

struct Reading {
  Texts words;
  std::array<double, kDenseFeatures> dense{};
  Sparse sparse;

  std::string text() const {
    std::string joined;
    for (const std::string& word : words) joined += (joined.empty() ? "" : " ") + word;
    return joined;
  }
};

inline Reading sum_of(Reading a, const Reading& b) {
  for (std::size_t f = 0; f < kDenseFeatures; ++f) a.dense[f] += b.dense[f];
  for (const auto& [name, value] : b.sparse) a.sparse[name] += value;
  return a;
}

// All derivations of a sentence.
class AllReadings {
 public:
  static constexpr std::size_t kMost = 20'000;

  AllReadings(const Parts& parts, const Texts& source, std::size_t span) : parts_(parts), source_(source) {
    const std::size_t n = source.size();
    spans_.resize((n + 1) * (n + 1));
    for (std::size_t width = 1; width <= std::min(n, span); ++width)
      for (std::size_t begin = 0; begin + width <= n; ++begin) fill(begin, begin + width);
    std::vector<std::vector<Reading>> rows(n + 1);  // by end
    for (std::size_t end = 1; end <= n; ++end) {
      if (end <= span) rows[end] = at(0, end);
      for (std::size_t middle = 1; middle < end; ++middle) {
        if (end - middle > span) continue;
        for (const Reading& left : rows[middle])
          for (const Reading& right : at(middle, end)) add_glued(left, right, rows[end]);
      }
    }
    readings_ = n == 0 ? std::vector<Reading>(1) : rows[n];
    for (Reading& reading : readings_) finish(reading);
  }

  bool too_many() const { return too_many_; }
  const std::vector<Reading>& readings() const { return readings_; }

 private:
  std::vector<Reading>& at(std::size_t begin, std::size_t end) {
    return spans_[begin * (source_.size() + 1) + end];
  }

  void put(Reading reading, std::vector<Reading>& readings) {
    if (readings.size() >= kMost) too_many_ = true;
    if (!too_many_) readings.push_back(std::move(reading));
  }

  void add_glued(const Reading& left, const Reading& right, std::vector<Reading>& readings) {
    if (too_many_) return;
    Reading both = sum_of(left, right);
    both.words.insert(both.words.end(), right.words.begin(), right.words.end());
    both.dense[kGlue] += 1;
    put(std::move(both), readings);
  }

  using Gaps = std::vector<std::pair<std::size_t, std::size_t>>;

  void fill(std::size_t begin, std::size_t end) {
    std::vector<Symbol> symbols;
    Gaps gaps;
    match(Rules::kRoot, begin, begin, end, symbols, gaps);
    if (end - begin == 1 && !has_own_rule(begin)) {
      Reading copy;
      copy.words = {source_[begin]};
      copy.dense[kPassThrough] = 1;
      copy.dense[kWordCount] = 1;
      put(copy, at(begin, end));
    }
  }

  bool has_own_rule(std::size_t position) const {
    const Word word = parts_.source->find(source_[position]);
    if (word == Words::kNone) return false;
    const std::uint32_t node = parts_.rules->child(Rules::kRoot, word);
    if (node == Rules::kNone) return false;
    const auto [first, last] = parts_.rules->rules(node);
    return first < last;
  }

  // Matches the rest of a source side with the words from `at_word` on.
  void match(std::uint32_t node, std::size_t at_word, std::size_t begin, std::size_t end,
             std::vector<Symbol>& symbols, Gaps& gaps) {
    if (at_word == end) {
      const auto [first, last] = parts_.rules->rules(node);
      for (std::uint32_t rule = first; rule < last; ++rule) apply(node, rule, symbols, gaps, at(begin, end));
      return;
    }
    parts_.rules->each_child(node, [&](Symbol symbol, std::uint32_t child) {
      if (!is_gap(symbol)) {
        if (parts_.source->text(symbol) != source_[at_word]) return;
        symbols.push_back(symbol);
        match(child, at_word + 1, begin, end, symbols, gaps);
        symbols.pop_back();
        return;
      }
      for (std::size_t to = at_word + 1; to <= end; ++to) {
        if (to - at_word == end - begin) continue;  // no rule is a gap alone
        symbols.push_back(gaps.empty() ? kFirstGap : kSecondGap);
        gaps.emplace_back(at_word, to);
        match(child, to, begin, end, symbols, gaps);
        gaps.pop_back();
        symbols.pop_back();
      }
    });
  }

  void apply(std::uint32_t node, std::uint32_t rule, const std::vector<Symbol>& symbols, const Gaps& gaps,
             std::vector<Reading>& readings) {
    const Reading own = features_of(node, rule, symbols);
    const std::vector<Reading> none(1);
    for (const Reading& first : gaps.empty() ? none : at(gaps[0].first, gaps[0].second)) {
      for (const Reading& second : gaps.size() < 2 ? none : at(gaps[1].first, gaps[1].second)) {
        if (too_many_) return;
        Reading all = sum_of(sum_of(own, first), second);
        for (const Symbol symbol : parts_.rules->target(rule)) {
          if (!is_gap(symbol)) {
            all.words.emplace_back(parts_.target->text(symbol));
          } else {
            const Texts& inner = (symbol == kFirstGap ? first : second).words;
            all.words.insert(all.words.end(), inner.begin(), inner.end());
          }
        }
        put(std::move(all), readings);
      }
    }
  }

  Reading features_of(std::uint32_t node, std::uint32_t rule, const std::vector<Symbol>& source) const {
    Reading own;
    const RuleValues& values = parts_.rules->values(rule);
    const auto target = parts_.rules->target(rule);
    own.dense[kTargetGivenSource] = values.target_given_source;
    own.dense[kSourceGivenTarget] = values.source_given_target;
    own.dense[kLexTargetGivenSource] = values.lex_target_given_source;
    own.dense[kLexSourceGivenTarget] = values.lex_source_given_target;
    own.dense[kPairCount] = std::log(1.0 + values.count);
    own.dense[kPairOnce] = values.count == 1;
    own.dense[kSourceOnce] = parts_.rules->source_count(node) == 1;
    own.dense[kWordCount] =
        static_cast<double>(std::count_if(target.begin(), target.end(), [](Symbol s) { return !is_gap(s); }));
    own.dense[kRuleCount] = 1;
    add_pairs(source, target, values.links, own.sparse);
    own.sparse[sparse_name(SparseKind::kShape, shape_of(source).text(), shape_of(target).text())] += 1;
    return own;
  }

  void add_pairs(std::span<const Symbol> source, std::span<const Symbol> target, std::uint64_t links,
                 Sparse& sparse) const {
    const auto is_used = [&](Symbol symbol) { return !is_gap(symbol) && symbol < parts_.frequent; };
    std::vector<bool> linked(source.size()), target_linked(target.size());
    for (std::size_t s = 0; s < source.size(); ++s) {
      for (std::size_t t = 0; t < target.size(); ++t) {
        if ((links >> (s * kMostTargetSymbols + t) & 1) == 0) continue;
        linked[s] = target_linked[t] = true;
        if (is_used(source[s]) && is_used(target[t]))
          sparse[sparse_name(SparseKind::kPair, source_text(source[s]), target_text(target[t]))] += 1;
      }
    }
    for (std::size_t t = 0; t < target.size(); ++t)
      for (std::size_t s = 0; s < source.size(); ++s)
        if (!target_linked[t] && is_used(source[s]) && is_used(target[t]))
          sparse[sparse_name(SparseKind::kInsert, target_text(target[t]), source_text(source[s]))] += 1;
    for (std::size_t s = 0; s < source.size(); ++s)
      if (!linked[s] && is_used(source[s]))
        sparse[sparse_name(SparseKind::kDelete, source_text(source[s]), "")] += 1;
  }
  std::string source_text(Word word) const { return std::string(parts_.source->text(word)); }
  std::string target_text(Word word) const { return std::string(parts_.target->text(word)); }

  // What depends on the whole string.
  void finish(Reading& reading) const {
    NgramModel::State state = parts_.language_model->begin();
    std::string last = "<s>";
    double log = 0.0;
    for (const std::string& word : reading.words) {
      const Word number = parts_.target->find(word);
      log += parts_.language_model->score(state, number, state);
      reading.dense[kUnknownWords] += parts_.language_model->knows(number) ? 0 : 1;
      reading.sparse[sparse_name(SparseKind::kBigram, last, word)] += 1;
      last = word;
    }
    reading.sparse[sparse_name(SparseKind::kBigram, last, "</s>")] += 1;
    reading.dense[kLanguageModel] = log + parts_.language_model->end(state);
  }

  const Parts& parts_;
  const Texts& source_;
  std::vector<std::vector<Reading>> spans_;
  std::vector<Reading> readings_;
  bool too_many_ = false;
};

// ---- Weights

struct NamedWeights {
  std::vector<NamedWeight> list;
  std::map<std::string, double> by_name;

  void set(const std::string& name, double value) {
    list.push_back({name, static_cast<float>(value)});
    by_name[name] = static_cast<float>(value);
  }
  double of(const std::string& name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? 0.0 : found->second;
  }
  FeatureWeights features() const { return FeatureWeights(list, "weights"); }
};

inline double score_of(const Reading& reading, const NamedWeights& weights) {
  double score = 0.0;
  for (std::size_t f = 0; f < kDenseFeatures; ++f)
    score += weights.of(std::string(dense_name(f))) * reading.dense[f];
  for (const auto& [name, value] : reading.sparse) score += weights.of(name) * value;
  return score;
}

enum class Which { kDense, kWithRules, kWithBigrams, kAll };

// Weights of both signs; of sparse features, about two thirds have one.
inline NamedWeights random_weights(Random& random, const std::vector<Reading>& readings, Which which) {
  NamedWeights weights;
  const auto any = [&] { return 2.0 * random.uniform() - 1.0; };
  for (std::size_t f = 0; f < kDenseFeatures; ++f) weights.set(std::string(dense_name(f)), any());
  Sparse names;
  for (const Reading& reading : readings) names.insert(reading.sparse.begin(), reading.sparse.end());
  for (const auto& [name, value] : names) {
    const bool is_bigram = name.starts_with("bigram:");
    const bool is_used =
        which == Which::kAll || (which != Which::kDense && is_bigram == (which == Which::kWithBigrams));
    if (is_used && random.below(3) > 0) weights.set(name, 2 * any());
  }
  return weights;
}

// ---- Searches

// Tries everything.
inline SearchOptions exhaustive(std::int64_t span = 100) {
  return {.beam = 100'000'000, .span = span, .candidates = 1'000'000};
}

inline std::vector<std::string_view> views_of(const Texts& words) { return {words.begin(), words.end()}; }

// Words of the model and others, some of which repeat.
inline Texts random_sentence(Random& random, std::size_t words, std::size_t vocabulary) {
  Texts sentence;
  for (std::size_t k = 0; k < words; ++k) {
    sentence.push_back(random.below(5) == 0 ? "new" + std::to_string(random.below(2))
                                            : "w" + std::to_string(random.below(vocabulary)));
  }
  return sentence;
}

}  // namespace hinge::mt::test
