// What training sees of its own sentences: each part is pruned, or tagged, by a model of the
// others, as new text will be.
#pragma once

#include "hinge/tasks/constituents/counted.h"

namespace hinge::constituents {

// Trees by Grammar::number_of().
using TreeNumbers = RowColumn<std::uint32_t>;
struct BinaryTrees {
  TreeNumbers fine, coarse;

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    each_row_column<&BinaryTrees::fine>("fine", "fine_begin", d, body);
    each_row_column<&BinaryTrees::coarse>("coarse", "coarse_begin", d, body);
  }
};

// What the models of the parts are estimated from; parts are taken off again.
struct FoldCounts {
  TreeCounts rules;  // of the coarse grammar
  TagModel tags;     // not finished
  TagPairs pairs;

  explicit FoldCounts(std::size_t tag_count) : tags(tag_count), pairs(tag_count) {}
  // times: 1, or -1 to take a tree off.
  void add(const Grammar& grammar, std::span<const BinaryNode> tree, std::span<const std::string_view> words,
           int times);
};

// Fills in tags, items and, for lexical+aux, what the flat classifiers say; those count after the known one.
void prune_all(const TreeNumbers& trees, const FoldCounts& all, const ConstOptions& options, Workers& workers,
               const FlatClassifier& known, Counted& out);
// For grammar=none: only tags.
void guess_all(const TreeNumbers& trees, const FoldCounts& all, const ConstOptions& options, Workers& workers,
               Counted& out);

}  // namespace hinge::constituents
