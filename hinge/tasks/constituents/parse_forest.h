// The forest of a sentence: every tree of the grammar that pruning has left.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hinge/decode/forest.h"
#include "hinge/tasks/constituents/coarse.h"
#include "hinge/tasks/constituents/grammar.h"

namespace hinge::constituents {

// A grammar and its coarse one; they are the same if the grammar is minimal.
struct GrammarPair {
  Grammar fine;
  Grammar coarse;
  std::vector<Symbol> projection;  // [fine symbols]

  // Fills in the rest after both grammars are finished. False if they do not fit.
  bool connect();
};

struct ParseForest {
  std::size_t words = 0;
  Forest forest;
  std::vector<Item> nodes;           // [nodes] fine symbols; the root's is kNoSymbol
  std::vector<std::uint32_t> rules;  // [edges]; kNone: a tag over its word, or the root
  std::vector<std::uint16_t> split;  // [edges] where the right part begins; 0: none

  void clear();
};

// A phrase that must be in the tree.
struct GivenBracket {
  std::string_view label;  // "": any
  std::uint16_t begin, end;

  // Whether words from..to, as a phrase, would cross it.
  bool crosses(std::size_t from, std::size_t to) const {
    return (from < begin && begin < to && to < end) || (begin < from && from < end && end < to);
  }
};

// Builds forests. Keeps its memory between calls; one per thread.
class ForestBuilder {
 public:
  explicit ForestBuilder(const GrammarPair& grammars);

  // From coarse items; with `exhaustive` from all phrases the grammar allows over the tags among
  // the items. Symbols of `roots` with finite values may be the root.
  void build(std::size_t words, std::span<const Item> items, bool exhaustive, std::span<const float> roots,
             std::span<const GivenBracket> given, ParseForest& out);

 private:
  struct Edge {
    std::uint32_t head;  // in the cell
    std::uint32_t left, right;
    std::uint32_t rule;
    std::uint16_t split;
  };
  struct Cell {
    std::uint32_t begin = 0, end = 0;  // nodes
  };
  const Cell& cell(std::size_t begin, std::size_t end) const { return cells_[begin * (words_ + 1) + end]; }
  bool allowed(Symbol symbol) const { return exhaustive_ || allowed_[grammars_.projection[symbol]] != 0; }
  void add_edge(Symbol parent, std::uint32_t left, std::uint32_t right, std::uint32_t rule,
                std::size_t split);
  void add_tags(std::span<const Item> items, std::size_t word);
  void add_unary(const ParseForest& out);
  void add_binary(std::size_t begin, std::size_t end, const ParseForest& out);
  void finish_cell(std::size_t begin, std::size_t end, ParseForest& out);
  bool crosses(std::size_t begin, std::size_t end) const;
  bool is_given(std::size_t begin, std::size_t end) const;
  void keep_given(std::size_t begin, std::size_t end);
  void add_root(std::span<const float> roots, ParseForest& out);

  const GrammarPair& grammars_;
  std::size_t words_ = 0;
  bool exhaustive_ = false;
  std::span<const GivenBracket> given_;
  std::vector<Cell> cells_;
  std::vector<char> allowed_;         // [coarse symbols] in the current cell
  std::vector<std::uint32_t> head_;   // [fine symbols] in the current cell, or kNone
  std::vector<std::uint32_t> right_;  // [fine symbols] among the right parts of the current split
  std::vector<Symbol> heads_;         // of the current cell
  std::vector<Edge> edges_;           // of the current cell
  std::vector<std::uint32_t> place_;
};

}  // namespace hinge::constituents
