#include "hinge/tasks/constituents/parts.h"

#include <algorithm>
#include <limits>

namespace hinge::constituents {
namespace {

constexpr float kNever = -std::numeric_limits<float>::infinity();
constexpr Part kPlaces = 1024;
static_assert(kMostTreeWords < kPlaces);

Item item(Symbol symbol, std::size_t begin, std::size_t end) {
  return {symbol, static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)};
}

// The root comes last, as in every forest.
bool comes_before(const Item& a, const Item& b) {
  if ((a.symbol == kNoSymbol) != (b.symbol == kNoSymbol)) return b.symbol == kNoSymbol;
  return Item::before(a, b);
}

// Numbers: rules, then tags over words, then tops.
Part pack(std::size_t number, std::size_t begin, std::size_t split, std::size_t end) {
  return ((Part{number} * kPlaces + begin) * kPlaces + split) * kPlaces + end;
}

}  // namespace

Part PartForest::part_of(const ParseForest& forest, std::uint32_t head, std::uint32_t edge) const {
  const Item& node = forest.nodes[head];
  const std::size_t rules = grammar_.rules().size();
  std::size_t number = forest.rules[edge];
  if (node.symbol == kNoSymbol) {
    number = rules + grammar_.tags() + forest.nodes[forest.forest.edges[edge].left].symbol;
  } else if (forest.rules[edge] == kNone) {
    number = rules + node.symbol;
  }
  return pack(number, node.begin, forest.split[edge], node.end);
}

void PartForest::parts_of(std::span<const BinaryNode> tree, std::vector<Part>& parts) const {
  const std::size_t rules = grammar_.rules().size();
  parts.clear();
  for (const BinaryNode& node : tree) {
    const std::size_t split = node.right == kNone ? 0 : tree[node.right].begin;
    parts.push_back(pack(node.rule == kNone ? rules + node.symbol : node.rule, node.begin, split, node.end));
  }
  parts.push_back(pack(rules + grammar_.tags() + tree[0].symbol, tree[0].begin, 0, tree[0].end));
  std::ranges::sort(parts);
}

bool PartForest::read(Part part, std::size_t words, Edge& edge) const {
  const std::size_t end = part % kPlaces;
  const std::size_t split = part / kPlaces % kPlaces;
  const std::size_t begin = part / kPlaces / kPlaces % kPlaces;
  Part number = part / kPlaces / kPlaces / kPlaces;
  if (begin >= end || end > words) return false;
  constexpr Item kNothing{kNoSymbol, 0, 0};
  edge = {.head = kNothing,
          .left = kNothing,
          .right = kNothing,
          .rule = kNone,
          .split = 0,
          .part = part,
          .index = 0};
  if (number < grammar_.rules().size()) {
    const Rule& rule = grammar_.rules()[number];
    const bool binary = rule.right != kNoSymbol;
    edge.head = item(rule.parent, begin, end);
    edge.left = item(rule.left, begin, binary ? split : end);
    if (binary) edge.right = item(rule.right, split, end);
    edge.rule = static_cast<std::uint32_t>(number);
    edge.split = static_cast<std::uint16_t>(split);
    return binary ? begin < split && split < end : split == 0 && end == begin + 1;
  }
  number -= grammar_.rules().size();
  if (number < grammar_.tags()) {
    edge.head = item(static_cast<Symbol>(number), begin, end);
    return split == 0 && end == begin + 1;
  }
  number -= grammar_.tags();
  edge.head = item(kNoSymbol, begin, end);
  edge.left = item(static_cast<Symbol>(number), begin, end);
  return number < grammar_.symbols() && split == 0 && begin == 0 && end == words;
}

std::uint32_t PartForest::place(const Item& item) const {
  if (item.symbol == kNoSymbol) return kNoNode;
  const auto at = std::ranges::lower_bound(forest_.nodes, item, comes_before);
  return static_cast<std::uint32_t>(at - forest_.nodes.begin());
}

void PartForest::build(std::span<const Part> parts, std::size_t words) {
  forest_.clear();
  forest_.words = words;
  edges_.clear();
  heads_.clear();
  std::vector<Item>& nodes = forest_.nodes;
  Edge edge;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (!read(parts[k], words, edge)) continue;
    edge.index = k;
    edges_.push_back(edge);
    for (const Item& node : {edge.head, edge.left, edge.right}) {
      if (node.end > 0) nodes.push_back(node);
    }
  }
  nodes.push_back(item(kNoSymbol, 0, words));
  std::ranges::sort(nodes, comes_before);
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  std::ranges::stable_sort(edges_, comes_before, &Edge::head);
  for (const Edge& one : edges_) {
    forest_.forest.edges.push_back({place(one.left), place(one.right)});
    forest_.rules.push_back(one.rule);
    forest_.split.push_back(one.split);
  }
  for (std::uint32_t v = 0; v < nodes.size(); ++v) {
    while (heads_.size() < edges_.size() && edges_[heads_.size()].head == nodes[v]) heads_.push_back(v);
    forest_.forest.begin.push_back(static_cast<std::uint32_t>(heads_.size()));
  }
}

void PartTrees::load(const ParseData& data, std::size_t i) {
  if (example_ == i) return;
  example_ = i;
  const PrunedSentence sentence = data.sentence(i, text_);
  words_ = sentence.words.size();
  fill_tag_scores(sentence, plan_.grammars.fine.tags(), tag_scores_);
  scorer_.start({sentence.words, sentence.tags, tag_scores_, sentence.aux});
  plan_.grammars.fine.read_tree(data.gold[i], gold_tree_);
  forest_.parts_of(gold_tree_, gold_);
  gold_nodes_.clear();
  for (const BinaryNode& node : gold_tree_) gold_nodes_.push_back(item(node.symbol, node.begin, node.end));
  std::ranges::sort(gold_nodes_, comes_before);
}

float PartTrees::cost(std::uint32_t edge) const {
  const Item& node = forest_.forest().nodes[forest_.head_of(edge)];
  if (node.symbol == kNoSymbol) return 0.0f;
  if (errors_ == Errors::kRules) return std::ranges::binary_search(gold_, forest_.part(edge)) ? 0.0f : 1.0f;
  if (plan_.grammars.fine.is_partial(node.symbol)) return 0.0f;
  return std::ranges::binary_search(gold_nodes_, node, comes_before) ? 0.0f : 1.0f;
}

// The best tree by restricted_: its parts, sorted, and its score; none and minus infinity if
// there is none.
double PartTrees::find(std::vector<Part>& parts) {
  const double score = search_.best(forest_.forest().forest, restricted_, edges_);
  parts.clear();
  for (const std::uint32_t e : edges_) parts.push_back(forest_.part(e));
  std::ranges::sort(parts);
  return score;
}

void PartTrees::search(const float* w, std::span<const Part> allowed, Search search, Exchange& exchange) {
  exchange.clear();
  parts_.clear();
  std::ranges::set_union(allowed, gold_, std::back_inserter(parts_));
  forest_.build(parts_, words_);
  scorer_.score(forest_.forest(), w, scores_);
  restricted_.assign(scores_.size(), kNever);
  double gold = 0.0;
  for (std::uint32_t e = 0; e < forest_.edges(); ++e) {
    if (std::ranges::binary_search(gold_, forest_.part(e))) gold += scores_[e];
    scores_[e] += cost(e);
    if (std::ranges::binary_search(allowed, forest_.part(e))) restricted_[e] = -scores_[e];
  }
  exchange.violation = -find(exchange.worst) - gold;
  if (search == Search::kAll || exchange.worst.empty()) return;
  for (float& score : restricted_) score = score == kNever ? kNever : -score;
  const double violation = find(exchange.best) - gold;
  for (const std::uint32_t e : edges_) exchange.loss += cost(e);
  exchange.margin = exchange.loss - violation;
}

void PartTrees::add_pieces(Exchange& exchange) {
  if (exchange.worst.empty()) return;
  parts_.clear();
  std::ranges::set_union(exchange.worst, exchange.best, std::back_inserter(parts_));
  forest_.build(parts_, words_);
  edges_.clear();
  others_.clear();
  for (std::uint32_t e = 0; e < forest_.edges(); ++e) {
    if (std::ranges::binary_search(exchange.worst, forest_.part(e))) edges_.push_back(e);
    if (std::ranges::binary_search(exchange.best, forest_.part(e))) others_.push_back(e);
  }
  pieces_.run(
      forest_.forest().forest, edges_, others_, [this](std::uint32_t e) { return forest_.head_of(e); },
      [&](std::span<const std::uint32_t> lost, std::span<const std::uint32_t> gained) {
        const std::size_t begin = exchange.parts.size();
        for (const std::uint32_t e : lost) exchange.parts.push_back(forest_.part(e));
        for (const std::uint32_t e : gained) exchange.parts.push_back(forest_.part(e));
        exchange.pieces.push_back({begin, begin + lost.size(), exchange.parts.size()});
      });
}

double PartTrees::add_features(std::span<const Part> parts, std::span<const double> amounts,
                               Gradient& features) {
  forest_.build(parts, words_);
  double loss = 0.0;
  for (std::uint32_t e = 0; e < forest_.edges(); ++e) {
    const double amount = amounts[forest_.index(e)];
    loss += amount * cost(e);
    scorer_.each(forest_.forest(), forest_.head_of(e), e,
                 [&](FeatureId id, float value) { features.add(id, static_cast<float>(amount * value)); });
  }
  return loss;
}

}  // namespace hinge::constituents
