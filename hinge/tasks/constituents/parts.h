// Trees as sets of parts, for structured SMO: a part is a rule at its place, a tag over its
// word or the symbol at the top. A part is a number that says all this, so a few parts make
// a small forest without the grammar, and far sooner than all trees of the sentence.
#pragma once

#include <span>
#include <vector>

#include "hinge/core/factored_task.h"
#include "hinge/decode/tree_pieces.h"
#include "hinge/tasks/constituents/data.h"

namespace hinge::constituents {

// What a wrong tree costs: its phrases and tags that gold lacks, or its rules at their places.
enum class Errors : std::uint8_t { kConstituents, kRules };

// The forest of given parts. Keeps its memory between calls; one per thread.
class PartForest {
 public:
  explicit PartForest(const Grammar& grammar) : grammar_(grammar) {}

  // The part that an edge of a forest is.
  Part part_of(const ParseForest& forest, std::uint32_t head, std::uint32_t edge) const;
  // The parts of a tree, sorted.
  void parts_of(std::span<const BinaryNode> tree, std::vector<Part>& parts) const;

  // Parts that no tree over so many words can have are ignored.
  void build(std::span<const Part> parts, std::size_t words);
  const ParseForest& forest() const { return forest_; }
  std::uint32_t edges() const { return static_cast<std::uint32_t>(edges_.size()); }
  std::uint32_t head_of(std::uint32_t edge) const { return heads_[edge]; }
  Part part(std::uint32_t edge) const { return edges_[edge].part; }
  std::size_t index(std::uint32_t edge) const { return edges_[edge].index; }  // among the given parts

 private:
  // A part as it can be read from its number; tails without words are none.
  struct Edge {
    Item head, left, right;
    std::uint32_t rule;
    std::uint16_t split;
    Part part;
    std::size_t index;
  };
  bool read(Part part, std::size_t words, Edge& edge) const;
  std::uint32_t place(const Item& item) const;

  const Grammar& grammar_;
  ParseForest forest_;
  std::vector<Edge> edges_;           // of the forest
  std::vector<std::uint32_t> heads_;  // [edges]
};

// The trees of one sentence by their parts; one per thread.
class PartTrees {
 public:
  PartTrees(const Plan& plan, Errors errors)
      : plan_(plan), errors_(errors), scorer_(plan), forest_(plan.grammars.fine) {}

  void load(const ParseData& data, std::size_t i);
  std::span<const Part> gold() const { return gold_; }
  const PartForest& forest() const { return forest_; }

  // The worst tree of allowed parts, and the best one, unless all are searched.
  void search(const float* w, std::span<const Part> allowed, Search search, Exchange& exchange);
  // In what the best and the worst differ.
  void add_pieces(Exchange& exchange);
  // As in FactoredTask.
  double add_features(std::span<const Part> parts, std::span<const double> amounts, Gradient& features);

 private:
  float cost(std::uint32_t edge) const;
  double find(std::vector<Part>& parts);

  const Plan& plan_;
  Errors errors_;
  EdgeScorer scorer_;
  PartForest forest_;
  std::size_t example_ = static_cast<std::size_t>(-1);
  std::size_t words_ = 0;
  std::vector<std::string_view> text_;
  Derivation gold_tree_;
  std::vector<float> tag_scores_;  // [words][tags]
  std::vector<Part> gold_;
  std::vector<Item> gold_nodes_;  // sorted
  std::vector<Part> parts_;
  std::vector<float> scores_, restricted_;  // [edges]
  ForestSearch search_;
  TreePieces pieces_;
  std::vector<std::uint32_t> edges_, others_;
};

}  // namespace hinge::constituents
