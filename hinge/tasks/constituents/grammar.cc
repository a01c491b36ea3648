#include "hinge/tasks/constituents/grammar.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

#include "hinge/core/error.h"

namespace hinge::constituents {
namespace {

std::uint64_t rule_key(Symbol parent, Symbol left, Symbol right) {
  return std::uint64_t{parent} << 32 | std::uint64_t{left} << 16 | right;
}

}  // namespace

bool chain_has(std::string_view chain, std::string_view label) {
  while (true) {
    const std::size_t end = std::min(chain.find(' '), chain.size());
    if (chain.substr(0, end) == label) return true;
    if (end == chain.size()) return false;
    chain.remove_prefix(end + 1);
  }
}

bool is_wrapper(std::string_view label) {
  return label.empty() || label == "ROOT" || label == "TOP" || label == "S1";
}

// Turns one tree into binary form.
struct Grammar::Builder {
  Grammar& grammar;
  const BracketTree& tree;
  const Markovization& order;
  Derivation& out;
  std::vector<std::string> ancestors;  // labels above, the last is the parent

  std::uint32_t leaf(std::uint32_t k) {
    const BracketNode& node = tree.nodes[k];
    const auto tag = static_cast<Symbol>(grammar.tags_.find(node.label));
    out.push_back({tag, static_cast<std::uint16_t>(node.begin), static_cast<std::uint16_t>(node.end), kNone,
                   kNone, kNone});
    return static_cast<std::uint32_t>(out.size() - 1);
  }

  // The subtree at node k, with the chain that it begins.
  std::uint32_t build(std::uint32_t k) {
    if (tree.nodes[k].word) return leaf(k);
    std::string key(tree.nodes[k].label);
    // Down the chain, while there is an only child that is a phrase.
    std::uint32_t last = k;
    for (; only_child(last) && !tree.nodes[last + 1].word; ++last)
      key.append(" ").append(tree.nodes[last + 1].label);
    const auto annotated = static_cast<std::size_t>(order.vertical - 1);
    for (std::size_t up = 0; up < std::min(annotated, ancestors.size()); ++up)
      key.append(up == 0 ? "\t^" : " ").append(ancestors[ancestors.size() - 1 - up]);
    ancestors.emplace_back(tree.nodes[last].label);
    const std::uint32_t result = only_child(last) ? over_word(last, key) : over_children(last, key);
    ancestors.pop_back();
    return result;
  }

  bool only_child(std::uint32_t k) const { return tree.nodes[k + 1].next == tree.nodes[k].next; }

  std::uint32_t over_word(std::uint32_t k, const std::string& key) {
    const std::uint32_t here = place(k, grammar.phrase(key));
    const std::uint32_t child = leaf(k + 1);
    out[here].left = child;
    out[here].rule = grammar.rule(out[here].symbol, out[child].symbol, kNoSymbol);
    return here;
  }

  std::uint32_t place(std::uint32_t k, Symbol symbol) {
    const BracketNode& node = tree.nodes[k];
    out.push_back({symbol, static_cast<std::uint16_t>(node.begin), static_cast<std::uint16_t>(node.end),
                   kNone, kNone, kNone});
    return static_cast<std::uint32_t>(out.size() - 1);
  }

  std::uint32_t over_children(std::uint32_t k, const std::string& key) {
    std::vector<std::uint32_t> children;
    for (std::uint32_t c = k + 1; c < tree.nodes[k].next; c = tree.nodes[c].next) children.push_back(c);
    const std::uint32_t first = place(k, grammar.phrase(key));
    std::uint32_t here = first;
    for (std::size_t c = 0; c + 1 < children.size(); ++c) {
      const std::uint32_t left = build(children[c]);
      std::uint32_t right;
      if (c + 2 == children.size()) {
        right = build(children[c + 1]);
      } else {
        right = place(k, grammar.phrase(partial_key(key, children, c + 1)));
        out[right].begin = out[left].end;
      }
      out[here].left = left;
      out[here].right = right;
      out[here].rule = grammar.rule(out[here].symbol, out[left].symbol, out[right].symbol);
      here = right;
    }
    return first;
  }

  // The rest of a phrase after `done` children.
  std::string partial_key(const std::string& key, const std::vector<std::uint32_t>& children,
                          std::size_t done) const {
    std::string result = key + "\t@";
    const std::size_t seen = std::min(done, static_cast<std::size_t>(order.horizontal));
    for (std::size_t c = done - seen; c < done; ++c)
      result.append(c == done - seen ? "" : " ").append(tree.nodes[children[c]].label);
    return result;
  }
};

Symbol Grammar::phrase(const std::string& key) {
  const std::size_t before = phrases_.size();
  if (phrases_.find(key) == before && symbols() + 1 >= kNoSymbol)
    fail<InputError>("the grammar has more than {} symbols; use fewer with vertical=1 or horizontal=0",
                     kNoSymbol - 1);
  const std::size_t id = phrases_.intern(key);
  if (phrases_.size() > before) partial_.push_back(key.find("\t@") != std::string::npos);
  return static_cast<Symbol>(tags_.size() + id);
}

std::uint32_t Grammar::rule(Symbol parent, Symbol left, Symbol right) {
  const auto [id, added] =
      rule_ids_.add(rule_key(parent, left, right), static_cast<std::uint32_t>(rules_.size()));
  if (added) rules_.push_back({parent, left, right});
  return id;
}

void Grammar::add(const BracketTree& tree, const Markovization& order, Derivation& out) {
  out.clear();
  Builder{*this, tree, order, out, {}}.build(0);
}

void Grammar::add(const Grammar& other) {
  for (const std::string& key : other.phrases_.names()) phrase(key);
  const std::vector<Symbol> here = symbols_of(other);
  for (const Rule& theirs : other.rules_)
    rule(here[theirs.parent], here[theirs.left], theirs.right == kNoSymbol ? kNoSymbol : here[theirs.right]);
}

std::vector<Symbol> Grammar::symbols_of(const Grammar& other) const {
  std::vector<Symbol> here;
  for (const std::string& tag : other.tags_.names()) {
    const std::size_t id = tags_.find(tag);
    here.push_back(id == tags_.size() ? kNoSymbol : static_cast<Symbol>(id));
  }
  for (const std::string& key : other.phrases_.names()) here.push_back(find_phrase(key));
  return here;
}

std::uint32_t Grammar::find_rule(Symbol parent, Symbol left, Symbol right) const {
  static_assert(kNone == NumberMap::kNone);
  return rule_ids_.find(rule_key(parent, left, right));
}

void Grammar::finish() {
  by_children_.resize(rules_.size());
  for (std::uint32_t r = 0; r < rules_.size(); ++r) by_children_[r] = r;
  const auto children = [this](std::uint32_t r) { return std::pair(rules_[r].left, rules_[r].right); };
  std::ranges::stable_sort(by_children_, {}, children);
  groups_.clear();
  group_begin_.clear();
  for (std::uint32_t k = 0; k < by_children_.size(); ++k) {
    const Rule& rule = rules_[by_children_[k]];
    if (k > 0 && children(by_children_[k]) == children(by_children_[k - 1])) continue;
    groups_.add(std::uint64_t{rule.left} << 16 | rule.right, static_cast<std::uint32_t>(group_begin_.size()));
    group_begin_.push_back(k);
  }
  group_begin_.push_back(static_cast<std::uint32_t>(by_children_.size()));
  // Unary rules come last among those of a left child: kNoSymbol is the highest.
  left_begin_.assign(symbols(), 0);
  left_end_.assign(symbols(), 0);
  for (std::uint32_t k = 0; k < by_children_.size(); ++k) {
    const Rule& rule = rules_[by_children_[k]];
    if (rule.right == kNoSymbol) continue;
    if (left_end_[rule.left] == 0) left_begin_[rule.left] = k;
    left_end_[rule.left] = k + 1;
  }
}

std::string_view Grammar::chain(Symbol s) const {
  const std::string_view key = phrases_.names()[s - tags_.size()];
  return key.substr(0, key.find('\t'));
}

std::string Grammar::coarse_key(Symbol s) const {
  return std::string(chain(s)).append(is_partial(s) ? "\t@" : "");
}

Symbol Grammar::find_phrase(std::string_view key) const {
  const std::size_t id = phrases_.find(key);
  return id == phrases_.size() ? kNoSymbol : static_cast<Symbol>(tags_.size() + id);
}

std::string Grammar::name(Symbol s) const {
  if (is_tag(s)) return tag_names().names()[s];
  std::string key = phrases_.names()[s - tags_.size()];
  std::ranges::replace(key, ' ', '+');
  const std::size_t rest = key.find("\t@");
  std::string phrase = key.substr(0, rest);
  std::erase(phrase, '\t');
  if (!is_partial(s)) return phrase;
  const std::string siblings = key.substr(rest + 2);
  return siblings.empty() ? "@" + phrase : fmt::format("@{}[{}]", phrase, siblings);
}

// The left child of a node follows it, the right one follows the left one's subtree.
bool Grammar::read_tree(std::span<const std::uint32_t> numbers, Derivation& out) const {
  out.clear();
  std::vector<std::uint32_t> open;  // nodes that still need a right child
  std::uint16_t words = 0;
  for (const std::uint32_t number : numbers) {
    const auto here = static_cast<std::uint32_t>(out.size());
    const bool tag = number < tags();
    const std::uint32_t rule = tag ? kNone : number - static_cast<std::uint32_t>(tags());
    if (words == kMostTreeWords || (!tag && rule >= rules_.size())) return false;
    const Symbol symbol = tag ? static_cast<Symbol>(number) : rules_[rule].parent;
    if (here > 0) {
      const bool left = out.back().rule != kNone;
      if (!left && open.empty()) return false;
      BinaryNode& parent = left ? out.back() : out[open.back()];
      const Rule& expected = rules_[parent.rule];
      if (symbol != (left ? expected.left : expected.right)) return false;
      (left ? parent.left : parent.right) = here;
      if (!left) open.pop_back();
    }
    out.push_back({symbol, words, 0, rule, kNone, kNone});
    if (tag) ++words;
    if (!tag && rules_[rule].right != kNoSymbol) open.push_back(here);
  }
  for (std::size_t k = out.size(); k-- > 0;) {
    BinaryNode& node = out[k];
    const std::uint32_t last = node.right != kNone ? node.right : node.left;
    node.end = last == kNone ? static_cast<std::uint16_t>(node.begin + 1) : out[last].end;
  }
  return open.empty() && !out.empty() && out.back().rule == kNone;
}

void Grammar::write(ByteWriter& out) const {
  for (const LabelSet* names : {&tags_, &phrases_}) {
    out.put<std::uint64_t>(names->size());
    for (const std::string& name : names->names()) out.put(std::string_view(name));
  }
  out.put_array(std::span<const Rule>(rules_));
}

Grammar Grammar::load(ByteReader& in) {
  Grammar grammar;
  const auto check = [](bool holds) {
    if (!holds) fail<ModelError>("the grammar of the model is damaged; train again");
  };
  const auto tags = in.get<std::uint64_t>();
  check(tags > 0 && tags < kNoSymbol);
  for (std::uint64_t t = 0; t < tags; ++t) grammar.tags_.intern(in.get_text());
  check(grammar.tags_.size() == tags);
  for (auto count = in.get<std::uint64_t>(); count > 0; --count) {
    const std::size_t before = grammar.phrases_.size();
    check(grammar.symbols() + 1 < kNoSymbol);
    grammar.phrase(std::string(in.get_text()));
    check(grammar.phrases_.size() == before + 1);
  }
  for (const Rule& rule : in.get_array<Rule>()) {
    const bool unary = rule.right == kNoSymbol;
    check(rule.parent >= grammar.tags() && rule.parent < grammar.symbols() &&
          (unary ? rule.left < grammar.tags()
                 : rule.left < grammar.symbols() && rule.right < grammar.symbols()));
    const std::size_t before = grammar.rules_.size();
    grammar.rule(rule.parent, rule.left, rule.right);
    check(grammar.rules_.size() == before + 1);
  }
  grammar.finish();
  return grammar;
}

namespace {

// Writes phrases in preorder.
struct Unbinarizer {
  const Grammar& grammar;
  std::span<const BinaryNode> nodes;
  BracketTree& tree;

  void phrase(std::uint32_t k) {
    const BinaryNode& node = nodes[k];
    if (grammar.is_partial(node.symbol)) return children(k);
    if (grammar.is_tag(node.symbol)) {
      open(grammar.tag_names().names()[node.symbol], node, true);
      tree.nodes.back().next = static_cast<std::uint32_t>(tree.nodes.size());
      return;
    }
    const std::size_t first = tree.nodes.size();
    std::string_view labels = grammar.chain(node.symbol);
    for (bool more = true; more;) {
      const std::size_t end = labels.find(' ');
      more = end != std::string_view::npos;
      open(labels.substr(0, end), node, false);
      if (more) labels.remove_prefix(end + 1);
    }
    const std::size_t last = tree.nodes.size();
    children(k);
    for (std::size_t open = first; open < last; ++open)
      tree.nodes[open].next = static_cast<std::uint32_t>(tree.nodes.size());
  }

  void children(std::uint32_t k) {
    if (nodes[k].left != kNone) phrase(nodes[k].left);
    if (nodes[k].right != kNone) phrase(nodes[k].right);
  }

  void open(std::string_view label, const BinaryNode& node, bool word) {
    tree.nodes.push_back({label, node.begin, node.end, 0, word});
  }
};

}  // namespace

void unbinarize(const Grammar& grammar, std::span<const BinaryNode> nodes, std::string_view wrapper,
                std::span<const std::string_view> words, BracketTree& tree) {
  tree.clear();
  tree.words.assign(words.begin(), words.end());
  if (nodes.empty()) return;
  const bool wrapped =
      wrapper != "-" && (grammar.is_tag(nodes[0].symbol) || !is_wrapper(grammar.chain(nodes[0].symbol)));
  if (wrapped) tree.nodes.push_back({wrapper, 0, static_cast<std::uint32_t>(words.size()), 0, false});
  Unbinarizer{grammar, nodes, tree}.phrase(0);
  if (wrapped) tree.nodes[0].next = static_cast<std::uint32_t>(tree.nodes.size());
}

}  // namespace hinge::constituents
