// Features of the parts of trees: of tags over their words, of phrases over their
// spans, and of rules at their splits. All are hashed: a feature is a key of the text
// combined with a key of the symbol or the rule, scaled to 2^bits weights.
//
//   generative   one feature: the logarithm of the probability of the tree
//   basic        the rules, and log P(word | tag)                 (Taskar et al. 2004, section 6)
//   lexical      basic, and words at the ends of spans            (the same)
//   lexical+aux  lexical, and what two other models say of the span (the same)
//   neural       basic, and a network over words around spans and splits; see neural.h
//   span         words, tags and lengths of spans and splits, with rules, parents and
//                labels                                           (after Hall, Durrett and Klein 2014)
// span+neural has both.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/sparse.h"
#include "hinge/core/weights.h"
#include "hinge/features/hash.h"
#include "hinge/features/lexicon.h"
#include "hinge/tasks/constituents/neural.h"
#include "hinge/tasks/constituents/parse_forest.h"

namespace hinge::constituents {

enum class FeatureKind : std::uint8_t { kGenerative, kBasic, kLexical, kSpan };

// Weights of real-valued features, after the hashed ones.
inline constexpr std::size_t kRealFeatures = 16;
inline constexpr std::size_t kTreeProbability = 0;  // log P(tree), for `generative`
inline constexpr std::size_t kTagProbability = 1;   // log P(word | tag) and a constant

// The place of a span among all of a sentence: by width, then by first word.
inline std::size_t span_index(std::size_t words, std::size_t begin, std::size_t end) {
  const std::size_t width = end - begin;
  return (width - 1) * words - (width - 1) * (width - 2) / 2 + begin;
}

// What scoring needs besides weights. Immutable.
struct Plan {
  FeatureKind kind = FeatureKind::kSpan;
  bool aux = false;  // features of the auxiliary classifiers, for kLexical
  std::int64_t hash_bits = 22;
  GrammarPair grammars;
  RuleModel fine_rules;  // of the fine grammar
  BrownClusters clusters;
  Embeddings embeddings;
  NeuralLayout network;
  std::vector<Key> symbol_keys;  // [coarse symbols]
  std::vector<Key> rule_keys;    // [fine rules]

  std::size_t hashed() const { return kind == FeatureKind::kGenerative ? 0 : std::size_t{1} << hash_bits; }
  std::size_t dimension() const { return hashed() + kRealFeatures + network.size(); }
  // Sets up the network; after the grammars.
  void add_network(std::size_t hidden);
  // The weights of another plan of the same size, but for the grammar.
  void copy_weights(const Plan& other, const Weights& theirs, Weights& out) const;
  // Computes the keys, by names: models of different data agree on them.
  void make_keys();
  // The weight of a hashed feature.
  FeatureId slot(Key key) const { return static_cast<FeatureId>(key >> (64 - hash_bits)); }
};

// A sentence as the features see it.
struct SentenceText {
  std::span<const std::string_view> words;
  std::span<const Symbol> tags;       // guessed, for features
  std::span<const float> tag_scores;  // [words][tags] log P(word | tag), up to a constant; for real features
  std::span<const std::uint8_t> aux = {};  // [spans], see span_index() and flat_classifier.h
};

// What a word looks like to the templates (templates.h).
template <typename Value>
struct Atoms {
  Value form, tag, look, cluster, fine_cluster;
};

class FeatureTexts;
struct FeatureName;

// Scores the edges of forests; one per thread.
class EdgeScorer {
 public:
  explicit EdgeScorer(const Plan& plan) : EdgeScorer(plan, plan.kind) {}
  // With features of another kind than the plan's.
  EdgeScorer(const Plan& plan, FeatureKind kind) : plan_(plan), kind_(kind) {}

  void start(const SentenceText& text);
  const SentenceText& text() const { return text_; }
  void score(const ParseForest& forest, const float* w, std::vector<float>& scores);
  // The keys of a span and of a word, for features=span. Valid until the next call.
  std::span<const Key> span_keys(std::size_t begin, std::size_t end);
  std::span<const Key> word_keys(std::size_t word);

  // use(id, value) for every feature of an edge.
  template <typename Use>
  void each(const ParseForest& forest, std::uint32_t head, std::uint32_t edge, const Use& use);
  // The same with names, for explanations. The texts are those of the sentence.
  void each_named(const ParseForest& forest, std::uint32_t head, std::uint32_t edge, FeatureTexts& texts,
                  const std::function<void(const FeatureName&, FeatureId, float)>& use);
  // The keys of hashed features of a node, of_node(k, key), and of each edge from it, of_edge(edge, k, key):
  // in the order of each().
  template <typename OfNode, typename OfEdge>
  void each_key(const ParseForest& forest, std::uint32_t head, const OfNode& of_node, const OfEdge& of_edge);
  // Every weight that score() reads.
  template <typename Use>
  void each_in(const ParseForest& forest, const Use& use);

 private:
  static constexpr std::size_t kSpanKeys = 30, kRuleKeys = 8, kSplitKeys = 6, kSplitParentKeys = 3,
                               kWordKeys = 21;

  void make_word_keys(std::size_t word);
  void make_span(std::size_t begin, std::size_t end);
  void make_lexical_span(std::size_t begin, std::size_t end);
  void make_split(std::size_t begin, std::size_t split, std::size_t end);
  float real_value(const ParseForest& forest, const Item& head, std::uint32_t edge) const;
  template <typename Use>
  void node_keys(const Item& node, const Use& use);
  template <typename Use>
  void rule_keys(const ParseForest& forest, const Item& head, std::uint32_t edge, const Use& use);
  template <typename Use>
  void node_features(const Item& node, const Use& use) {
    node_keys(node, [&](Key key) { use(plan_.slot(key), 1.0f); });
  }
  template <typename Use>
  void rule_features(const ParseForest& forest, const Item& head, std::uint32_t edge, const Use& use);
  void go_to(const Item& node);

  const Plan& plan_;
  FeatureKind kind_;
  SentenceText text_;
  std::vector<Atoms<Key>> atoms_;
  Item at_{kNoSymbol, 0, 0};  // the span whose keys are below
  std::size_t span_count_ = 0, rule_count_ = 0, split_count_ = 0, split_parent_count_ = 0;
  Key span_[kSpanKeys];
  Key rule_[kRuleKeys];
  Key split_[kSplitKeys];
  Key split_parent_[kSplitParentKeys];
  std::size_t split_at_ = 0;
  std::vector<Key> word_keys_;  // [words][kWordKeys]
  std::vector<char> has_word_keys_;
  std::string buffer_;
};

inline constexpr Key kRuleKey = 0x7275, kRootKey = 0x726f, kConstituentKey = 0x636f;

template <typename Use>
void EdgeScorer::node_keys(const Item& node, const Use& use) {
  if (kind_ == FeatureKind::kGenerative || kind_ == FeatureKind::kBasic) return;
  const Grammar& grammar = plan_.grammars.fine;
  if (grammar.is_tag(node.symbol)) {
    if (kind_ != FeatureKind::kSpan) return;
    const Key output = plan_.symbol_keys[node.symbol];
    if (!has_word_keys_[node.begin]) make_word_keys(node.begin);
    for (std::size_t k = 0; k < kWordKeys; ++k)
      use(combine(word_keys_[node.begin * kWordKeys + k], output));
    return;
  }
  if (kind_ == FeatureKind::kLexical && grammar.is_partial(node.symbol)) return;
  const Key output = kind_ == FeatureKind::kLexical
                         ? kConstituentKey
                         : plan_.symbol_keys[plan_.grammars.projection[node.symbol]];
  for (std::size_t k = 0; k < span_count_; ++k) use(combine(span_[k], output));
}

// None of a tag over its word.
template <typename Use>
void EdgeScorer::rule_keys(const ParseForest& forest, const Item& head, std::uint32_t edge, const Use& use) {
  const std::uint32_t rule = forest.rules[edge];
  if (rule == kNone) {
    if (head.symbol != kNoSymbol) return;
    const Item& top = forest.nodes[forest.forest.edges[edge].left];
    use(combine(kRootKey, plan_.symbol_keys[plan_.grammars.projection[top.symbol]]));
    return;
  }
  const Key output = plan_.rule_keys[rule];
  use(combine(kRuleKey, output));
  if (kind_ != FeatureKind::kSpan) return;
  for (std::size_t k = 0; k < rule_count_; ++k) use(combine(rule_[k], output));
  const std::size_t split = forest.split[edge];
  if (split == 0) return;
  if (split != split_at_) make_split(head.begin, split, head.end);
  for (std::size_t k = 0; k < split_count_; ++k) use(combine(split_[k], output));
  const Key parent = plan_.symbol_keys[plan_.grammars.projection[head.symbol]];
  for (std::size_t k = 0; k < split_parent_count_; ++k) use(combine(split_parent_[k], parent));
}

template <typename Use>
void EdgeScorer::rule_features(const ParseForest& forest, const Item& head, std::uint32_t edge,
                               const Use& use) {
  const FeatureId real = static_cast<FeatureId>(plan_.hashed());
  if (kind_ == FeatureKind::kGenerative) {
    use(real + kTreeProbability, real_value(forest, head, edge));
  } else if (forest.rules[edge] == kNone && head.symbol != kNoSymbol) {
    use(real + kTagProbability, real_value(forest, head, edge));
  } else {
    rule_keys(forest, head, edge, [&](Key key) { use(plan_.slot(key), 1.0f); });
  }
}

template <typename OfNode, typename OfEdge>
void EdgeScorer::each_key(const ParseForest& forest, std::uint32_t head, const OfNode& of_node,
                          const OfEdge& of_edge) {
  if (kind_ == FeatureKind::kGenerative) return;
  const Item& node = forest.nodes[head];
  go_to(node);
  std::size_t k = 0;
  if (node.symbol != kNoSymbol) node_keys(node, [&](Key key) { of_node(k++, key); });
  for (std::uint32_t e = forest.forest.begin[head]; e < forest.forest.begin[head + 1]; ++e) {
    k = 0;
    rule_keys(forest, node, e, [&](Key key) { of_edge(e, k++, key); });
  }
}

template <typename Use>
void EdgeScorer::each(const ParseForest& forest, std::uint32_t head, std::uint32_t edge, const Use& use) {
  const Item& node = forest.nodes[head];
  go_to(node);
  if (node.symbol != kNoSymbol) node_features(node, use);
  rule_features(forest, node, edge, use);
}

template <typename Use>
void EdgeScorer::each_in(const ParseForest& forest, const Use& use) {
  for (std::uint32_t v = 0; v < forest.nodes.size(); ++v) {
    const Item& node = forest.nodes[v];
    go_to(node);
    if (node.symbol != kNoSymbol) node_features(node, use);
    for (std::uint32_t e = forest.forest.begin[v]; e < forest.forest.begin[v + 1]; ++e)
      rule_features(forest, node, e, use);
  }
}

}  // namespace hinge::constituents
