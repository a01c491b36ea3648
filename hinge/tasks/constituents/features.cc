#include "hinge/tasks/constituents/features.h"

#include <algorithm>
#include <cmath>

#include "hinge/features/text.h"

namespace hinge::constituents {
namespace {

// Lengths that behave alike.
Key length_class(std::size_t length) {
  if (length <= 5) return length;
  return length <= 7 ? 6 : length <= 10 ? 7 : length <= 15 ? 8 : length <= 20 ? 9 : length <= 30 ? 10 : 11;
}

// Numbers the templates, so that equal texts in different places differ.
class KeyList {
 public:
  KeyList(Key* keys, Key family) : keys_(keys), family_(family) {}
  void add(Key a) { push(a); }
  void add(Key a, Key b) { push(combine(a, b)); }
  void add(Key a, Key b, Key c) { push(combine(combine(a, b), c)); }
  void add(Key a, Key b, Key c, Key d) { push(combine(combine(a, b), combine(c, d))); }
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
  make_atoms();
  word_keys_.resize(text.words.size() * kWordKeys);
  has_word_keys_.assign(text.words.size(), 0);
}

void EdgeScorer::make_atoms() {
  const std::size_t n = text_.words.size();
  atoms_.resize(n + 4);
  // Two marks on either side.
  for (const std::size_t p : {std::size_t{0}, std::size_t{1}})
    atoms_[p] = {2 + p, 2 + p, 2 + p, 2 + p, 2 + p};
  for (const std::size_t p : {n + 2, n + 3}) atoms_[p] = {6, 6, 6, 6, 6};
  for (std::size_t i = 0; i < n; ++i) {
    Atoms& atoms = atoms_[i + 2];
    const std::string_view word = text_.words[i];
    atoms.form = hash_text(word);
    atoms.tag = combine(text_.tags.empty() ? 0 : plan_.symbol_keys[text_.tags[i]], 0x7461);
    text_shape(word, buffer_);
    atoms.look = combine(hash_text(buffer_), hash_text(text_suffix(word, 2)));
    atoms.cluster = atoms.fine_cluster = atoms.tag;
    if (plan_.clusters.empty()) continue;
    const std::string_view path = plan_.clusters.path_of(atoms.form);
    if (path.empty()) continue;
    atoms.cluster = hash_text(path.substr(0, 6));
    atoms.fine_cluster = hash_text(path);
  }
}

void EdgeScorer::make_word_keys(std::size_t word) {
  has_word_keys_[word] = 1;
  const Atoms *a = &atoms_[word + 2], *before = a - 1, *after = a + 1;
  const std::string_view text = text_.words[word];
  KeyList keys(&word_keys_[word * kWordKeys], kWordFamily);
  keys.add(1);
  keys.add(a->form);
  keys.add(before->form);
  keys.add(after->form);
  keys.add(before->form, a->form);
  keys.add(a->form, after->form);
  for (std::size_t n = 1; n <= 4; ++n) keys.add(hash_text(text_suffix(text, n)));
  for (std::size_t n = 1; n <= 3; ++n) keys.add(hash_text(text_prefix(text, n)));
  keys.add(a->look);
  keys.add(a->cluster);
  keys.add(a->fine_cluster);
  keys.add(a->tag);
  keys.add(before->tag, a->tag);
  keys.add(a->tag, after->tag);
  keys.add(before->tag, after->tag);
  keys.add(before->fine_cluster, after->fine_cluster);
}

// Taskar et al. 2004, section 6.
void EdgeScorer::make_lexical_span(std::size_t begin, std::size_t end) {
  const Atoms *first = &atoms_[begin + 2], *last = &atoms_[end + 1], *before = first - 1, *after = last + 1;
  const std::size_t length = end - begin;
  KeyList keys(span_, kLexicalFamily);
  const Key bound = length <= 3 ? length : 0;
  keys.add(first->form, bound);
  keys.add(before->form, bound);
  keys.add(last->form, bound);
  keys.add(after->form, bound);
  keys.add(before->form, first->form, bound);
  keys.add(last->form, after->form, bound);
  if (length == 3) keys.add((first + 1)->form, bound);
  if (plan_.aux) {
    const Key said = text_.aux[span_index(text_.words.size(), begin, end)];
    keys.add(0x6131, said % 8);
    keys.add(0x6132, said / 8, bound);
    keys.add(0x6133, said, bound);
  }
  span_count_ = keys.size();
}

void EdgeScorer::make_span(std::size_t begin, std::size_t end) {
  const Atoms *first = &atoms_[begin + 2], *last = &atoms_[end + 1], *before = first - 1, *after = last + 1;
  const Key length = length_class(end - begin);
  KeyList keys(span_, kSpanFamily);
  keys.add(1);
  keys.add(length);
  keys.add(first->form);
  keys.add(last->form);
  keys.add(before->form);
  keys.add(after->form);
  keys.add(first->form, length);
  keys.add(last->form, length);
  keys.add(before->form, first->form);
  keys.add(last->form, after->form);
  keys.add(first->form, last->form);
  keys.add(before->form, after->form);
  keys.add(first->tag, last->tag, length);
  keys.add(before->tag, after->tag, length);
  keys.add(before->tag, first->tag);
  keys.add(last->tag, after->tag);
  keys.add(before->tag, first->tag, last->tag, after->tag);
  keys.add(first->form, last->tag);
  keys.add(first->tag, last->form);
  keys.add(before->form, first->tag);
  keys.add(last->tag, after->form);
  keys.add((before - 1)->tag, before->tag, first->tag);
  keys.add(last->tag, after->tag, (after + 1)->tag);
  keys.add(before->tag, first->tag, (first + 1)->tag, last->tag);
  keys.add(first->tag, (last - 1)->tag, last->tag, after->tag);
  keys.add(first->cluster, last->cluster);
  keys.add(before->cluster, after->cluster);
  keys.add(first->fine_cluster, length);
  keys.add(last->fine_cluster, length);
  // The tags of a short span, or the run of a long one without repeats.
  Key shape = 7;
  for (std::size_t i = begin; i < end; ++i) {
    if (end - begin > 6 && i > begin && atoms_[i + 2].tag == atoms_[i + 1].tag) continue;
    shape = combine(shape, atoms_[i + 2].tag);
  }
  keys.add(shape);
  span_count_ = keys.size();

  KeyList rules(rule_, kRuleFamily);
  rules.add(length);
  rules.add(first->form);
  rules.add(last->form);
  rules.add(before->tag);
  rules.add(after->tag);
  rules.add(first->tag, last->tag);
  rules.add(before->form);
  rules.add(after->form);
  rule_count_ = rules.size();
}

void EdgeScorer::make_split(std::size_t begin, std::size_t split, std::size_t end) {
  split_at_ = split;
  const Atoms *left = &atoms_[split + 1], *right = left + 1, *first = &atoms_[begin + 2],
              *last = &atoms_[end + 1];
  const Key left_length = length_class(split - begin), right_length = length_class(end - split);
  KeyList keys(split_, kSplitFamily);
  keys.add(left->form);
  keys.add(right->form);
  keys.add(left->tag, right->tag);
  keys.add(left_length, right_length);
  keys.add(first->tag, right->tag);
  keys.add(left->fine_cluster, right->fine_cluster);
  split_count_ = keys.size();
  KeyList parents(split_parent_, kSplitParentFamily);
  parents.add(left->form, right->form);
  parents.add(first->tag, left->tag, right->tag, last->tag);
  parents.add(first->form, right->form);
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

// In the order of the keys.
namespace {

constexpr std::string_view kWordNames[] = {"bias",
                                           "word",
                                           "word before",
                                           "word after",
                                           "word and the one before",
                                           "word and the one after",
                                           "last letter",
                                           "last 2 letters",
                                           "last 3 letters",
                                           "last 4 letters",
                                           "first letter",
                                           "first 2 letters",
                                           "first 3 letters",
                                           "look",
                                           "cluster prefix",
                                           "cluster",
                                           "guessed tag",
                                           "tags before and here",
                                           "tags here and after",
                                           "tags around",
                                           "clusters around"};
constexpr std::string_view kSpanNames[] = {"bias",
                                           "length",
                                           "first word",
                                           "last word",
                                           "word before",
                                           "word after",
                                           "first word, length",
                                           "last word, length",
                                           "words at the beginning",
                                           "words at the end",
                                           "first and last word",
                                           "words around",
                                           "first and last tag, length",
                                           "tags around, length",
                                           "tags at the beginning",
                                           "tags at the end",
                                           "tags at both ends",
                                           "first word, last tag",
                                           "first tag, last word",
                                           "word before, first tag",
                                           "last tag, word after",
                                           "three tags at the beginning",
                                           "three tags at the end",
                                           "tags of the beginning and the last",
                                           "tags of the end and the first",
                                           "cluster prefixes of first and last",
                                           "cluster prefixes around",
                                           "first cluster, length",
                                           "last cluster, length",
                                           "all tags"};
constexpr std::string_view kRuleNames[] = {
    "rule: length",    "rule: first word",         "rule: last word",   "rule: tag before",
    "rule: tag after", "rule: first and last tag", "rule: word before", "rule: word after"};
constexpr std::string_view kSplitNames[] = {"rule: word before the split",
                                            "rule: word after the split",
                                            "rule: tags at the split",
                                            "rule: lengths of the parts",
                                            "rule: first tag and tag after the split",
                                            "rule: clusters at the split"};
constexpr std::string_view kSplitParentNames[] = {"words at the split", "tags at the ends and the split",
                                                  "first word and word after the split"};
constexpr std::string_view kLexicalNames[] = {
    "first word", "word before", "last word", "word after", "words at the beginning", "words at the end"};

}  // namespace

void EdgeScorer::each_named(const ParseForest& forest, std::uint32_t head, std::uint32_t edge,
                            const std::function<void(std::string_view, FeatureId, float)>& use) {
  static_assert(std::size(kWordNames) == kWordKeys && std::size(kSpanNames) == kSpanKeys &&
                std::size(kRuleNames) == kRuleKeys && std::size(kSplitNames) == kSplitKeys &&
                std::size(kSplitParentNames) == kSplitParentKeys);
  const Item& node = forest.nodes[head];
  go_to(node);
  std::size_t k = 0;
  const bool tag = node.symbol != kNoSymbol && plan_.grammars.fine.is_tag(node.symbol);
  if (node.symbol != kNoSymbol) {
    node_features(node, [&](FeatureId id, float value) {
      std::string_view name = "what other models say, or the middle word";
      if (tag) {
        name = kWordNames[k];
      } else if (kind_ == FeatureKind::kSpan) {
        name = kSpanNames[k];
      } else if (k < std::size(kLexicalNames)) {
        name = kLexicalNames[k];
      }
      use(name, id, value);
      ++k;
    });
  }
  k = 0;
  rule_features(forest, node, edge, [&](FeatureId id, float value) {
    std::string_view name = "rule";
    if (forest.rules[edge] == kNone) {
      name = node.symbol == kNoSymbol ? "root" : "log P(word | tag)";
    } else if (k > 0 && k <= rule_count_) {
      name = kRuleNames[k - 1];
    } else if (k > rule_count_ && k <= rule_count_ + split_count_) {
      name = kSplitNames[k - rule_count_ - 1];
    } else if (k > rule_count_) {
      name = kSplitParentNames[k - rule_count_ - split_count_ - 1];
    }
    use(kind_ == FeatureKind::kGenerative ? "log probability" : name, id, value);
    ++k;
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
