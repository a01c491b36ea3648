#include "hinge/tasks/constituents/parse_forest.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/interrupt.h"

namespace hinge::constituents {
bool GrammarPair::connect() {
  projection.clear();
  for (std::size_t s = 0; s < fine.symbols(); ++s) {
    const auto symbol = static_cast<Symbol>(s);
    projection.push_back(fine.is_tag(symbol) ? symbol : coarse.find_phrase(fine.coarse_key(symbol)));
    if (projection.back() == kNoSymbol) return false;
  }
  return true;
}

void ParseForest::clear() {
  forest.begin.assign(1, 0);
  forest.edges.clear();
  nodes.clear();
  rules.clear();
  split.clear();
}

ForestBuilder::ForestBuilder(const GrammarPair& grammars)
    : grammars_(grammars),
      allowed_(grammars.coarse.symbols()),
      head_(grammars.fine.symbols(), kNone),
      right_(grammars.fine.symbols(), kNone) {}

void ForestBuilder::add_edge(Symbol parent, std::uint32_t left, std::uint32_t right, std::uint32_t rule,
                             std::size_t split) {
  if (head_[parent] == kNone) {
    head_[parent] = static_cast<std::uint32_t>(heads_.size());
    heads_.push_back(parent);
  }
  edges_.push_back({head_[parent], left, right, rule, static_cast<std::uint16_t>(split)});
}

void ForestBuilder::add_tags(std::span<const Item> items, std::size_t word) {
  for (const Item& item : items) {
    if (item.end != item.begin + 1 || item.begin != word) continue;
    if (grammars_.coarse.is_tag(item.symbol)) {
      add_edge(item.symbol, kNoNode, kNoNode, kNone, 0);
    }
  }
}

// Phrases of one word, over the tags just finished, which end the list of nodes.
void ForestBuilder::add_unary(const ParseForest& out) {
  const std::size_t word = out.nodes.back().begin;
  for (std::size_t v = out.nodes.size(); v-- > 0;) {
    const Item& node = out.nodes[v];
    if (node.begin != word || node.end != word + 1) break;
    for (const std::uint32_t r : grammars_.fine.over_tag(node.symbol)) {
      const Symbol parent = grammars_.fine.rules()[r].parent;
      if (allowed(parent)) add_edge(parent, static_cast<std::uint32_t>(v), kNoNode, r, 0);
    }
  }
}

void ForestBuilder::add_binary(std::size_t begin, std::size_t end, const ParseForest& out) {
  const Grammar& grammar = grammars_.fine;
  constexpr std::uint32_t kMany = 8;
  for (std::size_t m = begin + 1; m < end; ++m) {
    const Cell lefts = cell(begin, m), rights = cell(m, end);
    if (lefts.begin == lefts.end || rights.begin == rights.end) continue;
    const auto add = [&](std::uint32_t left, std::uint32_t right, std::uint32_t r) {
      const Symbol parent = grammar.rules()[r].parent;
      if (allowed(parent)) add_edge(parent, left, right, r, m);
    };
    if (rights.end - rights.begin < kMany) {  // look up each pair
      for (std::uint32_t left = lefts.begin; left < lefts.end; ++left) {
        for (std::uint32_t right = rights.begin; right < rights.end; ++right) {
          for (const std::uint32_t r : grammar.with_children(out.nodes[left].symbol, out.nodes[right].symbol))
            add(left, right, r);
        }
      }
      continue;
    }
    // Look up the right child of each rule.
    for (std::uint32_t right = rights.begin; right < rights.end; ++right)
      right_[out.nodes[right].symbol] = right;
    for (std::uint32_t left = lefts.begin; left < lefts.end; ++left) {
      for (const std::uint32_t r : grammar.with_left(out.nodes[left].symbol)) {
        const std::uint32_t right = right_[grammar.rules()[r].right];
        if (right != kNone) add(left, right, r);
      }
    }
    for (std::uint32_t right = rights.begin; right < rights.end; ++right)
      right_[out.nodes[right].symbol] = kNone;
  }
}

// Moves the edges of the cell to the forest, by head.
void ForestBuilder::finish_cell(std::size_t begin, std::size_t end, ParseForest& out) {
  Cell& cell = cells_[begin * (words_ + 1) + end];
  const auto first = static_cast<std::uint32_t>(out.nodes.size());
  if (cell.begin == cell.end) cell.begin = first;
  place_.assign(heads_.size() + 1, 0);
  for (const Edge& edge : edges_) ++place_[edge.head + 1];
  for (std::size_t h = 0; h < heads_.size(); ++h) place_[h + 1] += place_[h];
  const auto base = static_cast<std::uint32_t>(out.forest.edges.size());
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    out.nodes.push_back({heads_[h], static_cast<std::uint16_t>(begin), static_cast<std::uint16_t>(end)});
    out.forest.begin.push_back(base + place_[h + 1]);
  }
  const std::size_t total = base + edges_.size();
  out.forest.edges.resize(total);
  out.rules.resize(total);
  out.split.resize(total);
  for (const Edge& edge : edges_) {
    const std::uint32_t to = base + place_[edge.head]++;
    out.forest.edges[to] = {edge.left, edge.right};
    out.rules[to] = edge.rule;
    out.split[to] = edge.split;
  }
  cell.end = static_cast<std::uint32_t>(out.nodes.size());
  for (const Symbol head : heads_) head_[head] = kNone;
  heads_.clear();
  edges_.clear();
}

bool ForestBuilder::crosses(std::size_t begin, std::size_t end) const {
  return std::ranges::any_of(given_,
                             [&](const GivenBracket& bracket) { return bracket.crosses(begin, end); });
}

bool ForestBuilder::is_given(std::size_t begin, std::size_t end) const {
  return std::ranges::any_of(
      given_, [&](const GivenBracket& bracket) { return bracket.begin == begin && bracket.end == end; });
}

// Drops what is not the given phrase from the cell it fills.
void ForestBuilder::keep_given(std::size_t begin, std::size_t end) {
  for (const GivenBracket& bracket : given_) {
    if (bracket.begin != begin || bracket.end != end) continue;
    std::erase_if(edges_, [&](const Edge& edge) {
      const Symbol symbol = heads_[edge.head];
      const Grammar& grammar = grammars_.fine;
      if (grammar.is_tag(symbol)) return false;
      return grammar.is_partial(symbol) ||
             (!bracket.label.empty() && !chain_has(grammar.chain(symbol), bracket.label));
    });
  }
}

void ForestBuilder::add_root(std::span<const float> roots, ParseForest& out) {
  const Cell whole = cell(0, words_);
  for (std::uint32_t v = whole.begin; v < whole.end; ++v) {
    if (!std::isfinite(roots[out.nodes[v].symbol])) continue;
    out.forest.edges.push_back({v, kNoNode});
    out.rules.push_back(kNone);
    out.split.push_back(0);
  }
  out.nodes.push_back({kNoSymbol, 0, static_cast<std::uint16_t>(words_)});
  out.forest.begin.push_back(static_cast<std::uint32_t>(out.forest.edges.size()));
}

void ForestBuilder::build(std::size_t words, std::span<const Item> items, bool exhaustive,
                          std::span<const float> roots, std::span<const GivenBracket> given,
                          ParseForest& out) {
  words_ = out.words = words;
  exhaustive_ = exhaustive;
  given_ = given;
  out.clear();
  cells_.assign((words + 1) * (words + 1), {});
  std::size_t next = 0;  // items are sorted by width and first word
  std::uint32_t tags_end = 0;
  for (std::size_t width = 1; width <= words; ++width) {
    check_interrupt();
    for (std::size_t begin = 0; begin + width <= words; ++begin) {
      const std::size_t first = next;
      for (; next < items.size() && items[next].begin == begin && items[next].end == begin + width; ++next)
        allowed_[items[next].symbol] = 1;
      if ((exhaustive || next > first) && !crosses(begin, begin + width)) {
        if (width == 1) {
          add_tags(items.subspan(first, next - first), begin);
          finish_cell(begin, begin + 1, out);
          add_unary(out);
          tags_end = static_cast<std::uint32_t>(out.nodes.size());
        } else {
          add_binary(begin, begin + width, out);
        }
        if (!given.empty()) keep_given(begin, begin + width);
        finish_cell(begin, begin + width, out);
        // A given phrase over one word hides the bare tags.
        if (width == 1 && is_given(begin, begin + 1))
          cells_[begin * (words_ + 1) + begin + 1].begin = tags_end;
      }
      for (std::size_t k = first; k < next; ++k) allowed_[items[k].symbol] = 0;
    }
  }
  add_root(roots, out);
}

}  // namespace hinge::constituents
