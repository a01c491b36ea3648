// The features of a translation, each with a weight.
//
// Dense features have a number. Sparse ones have a kind and words, and a key that is
// composed from the hashes of these, so searching needs no names:
//
//   pair:F~E      source word F and target word E are aligned within a rule
//   insert:E~F    target word E of a rule is not aligned; F is any source word of the rule
//   delete:F      source word F of a rule is not aligned
//   bigram:E~E    two target words in a row; <s> and </s> are the ends of a sentence
//   shape:S~T     the order of words (a) and gaps (X, Y) on both sides of a rule
//
// The first two and bigrams: Eidelman, WMT 2012, section 5; the others: Chiang, Knight
// and Wang, NAACL 2009.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/nbest/named_weights.h"
#include "hinge/features/key_index.h"
#include "hinge/mt/rules.h"
#include "hinge/mt/words.h"

namespace hinge::mt {

enum Dense : std::uint8_t {
  kLanguageModel,      // natural logarithm
  kUnknownWords,       // words the language model does not know
  kTargetGivenSource,  // of rules, as in RuleValues
  kSourceGivenTarget,
  kLexTargetGivenSource,
  kLexSourceGivenTarget,
  kPairCount,    // logarithm of 1 + occurrences of a rule
  kPairOnce,     // rules that occurred once
  kSourceOnce,   // rules whose source side occurred once
  kWordCount,    // target words
  kRuleCount,    // rules with words
  kGlue,         // rules that only put two parts in a row
  kPassThrough,  // source words that are copied
  kDenseFeatures,
};
std::string_view dense_name(std::size_t feature);

enum class SparseKind : std::uint8_t { kPair, kInsert, kDelete, kBigram, kShape };
inline constexpr std::size_t kSparseKinds = 5;

// Which sparse features are in use.
class SparseSet {
 public:
  SparseSet() = default;
  // A list of kinds, as in "pair,bigram", or "all", or "" for none. Throws OptionError.
  explicit SparseSet(std::string_view kinds);

  bool has(SparseKind kind) const { return (bits_ >> static_cast<unsigned>(kind) & 1u) != 0; }
  bool has_rule_features() const {
    return (bits_ & ~(1u << static_cast<unsigned>(SparseKind::kBigram))) != 0;
  }
  bool empty() const { return bits_ == 0; }

 private:
  unsigned bits_ = 0;
};

// A sparse feature: a kind with texts, e.g. two words.
Key sparse_key(SparseKind kind, Key first, Key second);
std::string sparse_name(SparseKind kind, std::string_view first, std::string_view second);

class FeatureWeights {
 public:
  FeatureWeights() = default;
  // `name` is that of the file, for messages. Throws InputError if a name is unknown.
  FeatureWeights(std::span<const NamedWeight> weights, std::string_view name);

  const std::array<float, kDenseFeatures>& dense() const { return dense_; }
  // Zero if unknown.
  float sparse(Key key) const {
    const std::uint32_t found = index_.find(key);
    return found == KeyIndex::kNone ? 0.0f : values_[found];
  }
  bool has(SparseKind kind) const { return has_[static_cast<std::size_t>(kind)]; }
  bool has_rule_features() const {
    return has(SparseKind::kPair) || has(SparseKind::kInsert) || has(SparseKind::kDelete) ||
           has(SparseKind::kShape);
  }

 private:
  bool add_sparse(std::string_view name, float value);

  std::array<float, kDenseFeatures> dense_{};
  KeyIndex index_;
  std::vector<float> values_;
  std::array<bool, kSparseKinds> has_{};
};

// Weights to start with: tolerable translations before anything is tuned.
std::vector<NamedWeight> first_weights();

// The order of words and gaps of a side, as in "aXa".
struct Shape {
  std::array<char, kMostTargetSymbols> letters;
  std::size_t size = 0;

  std::string_view text() const { return {letters.data(), size}; }
};
Shape shape_of(std::span<const Symbol> side);

// Calls body(kind, first, second) for every sparse feature of a rule but its shape, which
// has no words; `second` is Words::kNone for deletions. Words beyond `frequent` have no
// features.
template <typename Body>
void each_rule_feature(std::span<const Symbol> source, std::span<const Symbol> target, std::uint64_t links,
                       SparseSet kinds, Word frequent, const Body& body) {
  const auto linked = [&](std::size_t s, std::size_t t) {
    return (links >> (s * kMostTargetSymbols + t) & 1) != 0;
  };
  const auto is_used = [&](Symbol symbol) { return !is_gap(symbol) && symbol < frequent; };
  for (std::size_t t = 0; t < target.size(); ++t) {
    if (!is_used(target[t])) continue;
    bool has_link = false;
    for (std::size_t s = 0; s < source.size(); ++s) has_link = has_link || linked(s, t);
    const SparseKind kind = has_link ? SparseKind::kPair : SparseKind::kInsert;
    if (!kinds.has(kind)) continue;
    for (std::size_t s = 0; s < source.size(); ++s) {
      if (!is_used(source[s]) || (has_link && !linked(s, t))) continue;
      has_link ? body(kind, source[s], target[t]) : body(kind, target[t], source[s]);
    }
  }
  if (!kinds.has(SparseKind::kDelete)) return;
  constexpr std::uint64_t kRow = (std::uint64_t{1} << kMostTargetSymbols) - 1;
  for (std::size_t s = 0; s < source.size(); ++s) {
    if (is_used(source[s]) && (links >> (s * kMostTargetSymbols) & kRow) == 0)
      body(SparseKind::kDelete, source[s], Words::kNone);
  }
}

}  // namespace hinge::mt
