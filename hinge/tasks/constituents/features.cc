#include "hinge/tasks/constituents/features.h"

#include <algorithm>
#include <cmath>

#include "hinge/tasks/constituents/feature_texts.h"
#include "hinge/tasks/constituents/templates.h"

namespace hinge::constituents {
namespace {

// Numbers the templates, so that equal texts in different places differ.
class KeyList {
 public:
  KeyList(Key* keys, Key family) : keys_(keys), family_(family) {}
  void add(std::string_view, Key a) { push(a); }
  void add(std::string_view, Key a, Key b) { push(combine(a, b)); }
  void add(std::string_view, Key a, Key b, Key c) { push(combine(combine(a, b), c)); }
  void add(std::string_view, Key a, Key b, Key c, Key d) { push(combine(combine(a, b), combine(c, d))); }
  std::size_t size() const { return n_; }

 private:
  void push(Key key) {
    keys_[n_] = combine(key, family_ + n_);
    ++n_;
  }
  Key* keys_;
  Key family_;
  std::size_t n_ = 0;
};

constexpr Key kWordFamily = 0x100, kSpanFamily = 0x200, kRuleFamily = 0x300, kSplitFamily = 0x400,
              kSplitParentFamily = 0x500, kLexicalFamily = 0x600;

}  // namespace

void Plan::copy_weights(const Plan& other, const Weights& theirs, Weights& out) const {
  const auto copy = [&](std::size_t from, std::size_t to, std::size_t n) {
    std::copy_n(theirs.data() + from, n, out.data() + to);
  };
  copy(0, 0, hashed() + kRealFeatures);
  if (network.hidden == 0) return;
  copy(other.network.first, network.first, network.layer_size());
  const std::vector<Symbol> coarse = grammars.coarse.symbols_of(other.grammars.coarse);
  for (std::size_t s = 0; s < coarse.size(); ++s) {
    if (coarse[s] != kNoSymbol)
      copy(other.network.symbol_row(s), network.symbol_row(coarse[s]), network.hidden);
  }
  const std::vector<Symbol> fine = grammars.fine.symbols_of(other.grammars.fine);
  for (std::size_t r = 0; r < other.grammars.fine.rules().size(); ++r) {
    const Rule& rule = other.grammars.fine.rules()[r];
    const Symbol right = rule.right == kNoSymbol ? kNoSymbol : fine[rule.right];
    const std::uint32_t here = grammars.fine.find_rule(fine[rule.parent], fine[rule.left], right);
    if (here != kNone) copy(other.network.rule_row(r), network.rule_row(here), network.hidden);
  }
}

void Plan::make_keys() {
  const Grammar& coarse = grammars.coarse;
  symbol_keys.clear();
  for (std::size_t s = 0; s < coarse.symbols(); ++s)
    symbol_keys.push_back(
        combine(hash_text(coarse.name(static_cast<Symbol>(s))), coarse.is_tag(static_cast<Symbol>(s))));
  const Grammar& fine = grammars.fine;
  std::vector<Key> fine_keys;
  for (std::size_t s = 0; s < fine.symbols(); ++s)
    fine_keys.push_back(
        combine(hash_text(fine.name(static_cast<Symbol>(s))), fine.is_tag(static_cast<Symbol>(s))));
  rule_keys.clear();
  for (const Rule& rule : fine.rules()) {
    const Key right = rule.right == kNoSymbol ? 1 : fine_keys[rule.right];
    rule_keys.push_back(combine(combine(fine_keys[rule.parent], fine_keys[rule.left]), right));
  }
}

void Plan::add_network(std::size_t hidden) {
  network.first = hashed() + kRealFeatures;
  network.input = embeddings.size() + NeuralLayout::kForm;
  network.hidden = hidden;
  network.symbols = grammars.coarse.symbols();
  network.rules = grammars.fine.rules().size();
}

void EdgeScorer::start(const SentenceText& text) {
  text_ = text;
  at_ = {kNoSymbol, 0, 0};
  if (kind_ == FeatureKind::kGenerative || kind_ == FeatureKind::kBasic) return;
  make_atoms<KeyValues>(plan_, text_, buffer_, atoms_);
  word_keys_.resize(text.words.size() * kWordKeys);
  has_word_keys_.assign(text.words.size(), 0);
}

void EdgeScorer::make_word_keys(std::size_t word) {
  has_word_keys_[word] = 1;
  KeyList keys(&word_keys_[word * kWordKeys], kWordFamily);
  word_templates<KeyValues>(atoms_.data(), word, text_.words[word], keys);
}

void EdgeScorer::make_lexical_span(std::size_t begin, std::size_t end) {
  KeyList keys(span_, kLexicalFamily);
  const std::uint8_t* said =
      plan_.aux ? &text_.aux[span_index(text_.words.size(), begin, end)] : nullptr;
  lexical_templates<KeyValues>(atoms_.data(), begin, end, said, keys);
  span_count_ = keys.size();
}

void EdgeScorer::make_span(std::size_t begin, std::size_t end) {
  KeyList keys(span_, kSpanFamily);
  span_templates<KeyValues>(atoms_.data(), begin, end, keys);
  span_count_ = keys.size();
  KeyList rules(rule_, kRuleFamily);
  rule_templates<KeyValues>(atoms_.data(), begin, end, rules);
  rule_count_ = rules.size();
}

void EdgeScorer::make_split(std::size_t begin, std::size_t split, std::size_t end) {
  split_at_ = split;
  KeyList keys(split_, kSplitFamily);
  split_templates<KeyValues>(atoms_.data(), begin, split, end, keys);
  split_count_ = keys.size();
  KeyList parents(split_parent_, kSplitParentFamily);
  split_parent_templates<KeyValues>(atoms_.data(), begin, split, end, parents);
  split_parent_count_ = parents.size();
}

void EdgeScorer::go_to(const Item& node) {
  if (at_.begin == node.begin && at_.end == node.end) return;
  at_ = node;
  split_at_ = 0;
  if (kind_ == FeatureKind::kSpan) make_span(node.begin, node.end);
  if (kind_ == FeatureKind::kLexical) make_lexical_span(node.begin, node.end);
}

std::span<const Key> EdgeScorer::span_keys(std::size_t begin, std::size_t end) {
  go_to({kNoSymbol, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)});
  return {span_, span_count_};
}

std::span<const Key> EdgeScorer::word_keys(std::size_t word) {
  if (!has_word_keys_[word]) make_word_keys(word);
  return std::span(word_keys_).subspan(word * kWordKeys, kWordKeys);
}

float EdgeScorer::real_value(const ParseForest& forest, const Item& head, std::uint32_t edge) const {
  const std::uint32_t rule = forest.rules[edge];
  if (rule != kNone) return plan_.fine_rules.rules[rule];
  if (head.symbol == kNoSymbol)
    return plan_.fine_rules.roots[forest.nodes[forest.forest.edges[edge].left].symbol];
  return text_.tag_scores[head.begin * plan_.grammars.fine.tags() + head.symbol];
}

void EdgeScorer::each_named(const ParseForest& forest, std::uint32_t head, std::uint32_t edge,
                            FeatureTexts& texts,
                            const std::function<void(const FeatureName&, FeatureId, float)>& use) {
  const Item& node = forest.nodes[head];
  go_to(node);
  std::size_t k = 0;
  if (node.symbol != kNoSymbol)
    node_features(node, [&](FeatureId id, float value) { use(texts.of_node(node, k++), id, value); });
  k = 0;
  rule_features(forest, node, edge, [&](FeatureId id, float value) {
    use(texts.of_edge(forest, node, edge, k++), id, value);
  });
}

void EdgeScorer::score(const ParseForest& forest, const float* w, std::vector<float>& scores) {
  scores.resize(forest.forest.edges.size());
  for (std::uint32_t v = 0; v < forest.nodes.size(); ++v) {
    const Item& node = forest.nodes[v];
    go_to(node);
    float shared = 0.0f;
    const auto add_shared = [&](FeatureId id, float value) { shared += value * w[id]; };
    if (node.symbol != kNoSymbol) node_features(node, add_shared);
    for (std::uint32_t e = forest.forest.begin[v]; e < forest.forest.begin[v + 1]; ++e) {
      float own = shared;
      rule_features(forest, node, e, [&](FeatureId id, float value) { own += value * w[id]; });
      scores[e] = own;
    }
  }
}

}  // namespace hinge::constituents
