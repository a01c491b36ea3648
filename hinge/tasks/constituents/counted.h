// What is learned from a treebank by counting, before any weights are.
#pragma once

#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/tasks/constituents/data.h"
#include "hinge/tasks/constituents/names.h"
#include "hinge/tasks/constituents/tag_guess.h"
#include "hinge/tasks/constituents/treebank.h"

namespace hinge::constituents {

// Counts of a treebank, from which its generative model is estimated.
struct TreeCounts {
  std::vector<double> rules, roots;

  void add(const Grammar& grammar, std::span<const BinaryNode> tree, double amount);
  // Adds counts of another grammar, all of whose rules this one has.
  void add(const Grammar& grammar, const TreeCounts& theirs, const Grammar& other);
};

// What a model knows that training continues from; see Counted.
struct Known {
  bool any = false;
  GrammarPair grammars;
  TreeCounts coarse_counts, fine_counts;
  TagModel tags;
  TagPairs pairs;
  FlatClassifier flat;
  BrownClusters clusters;
  Embeddings embeddings;
  std::string wrapper;
  std::vector<Key> span_keys, word_keys;  // of grammar=none
  WeightNames names;                      // if they were kept
};

// Everything learned by counting.
struct Counted {
  Plan plan;
  TreeCounts coarse_counts, fine_counts;
  TagModel tags;
  TagPairs pairs;
  FlatClassifier flat;  // for lexical+aux
  std::string wrapper;
  ParseData data;
  std::size_t lost = 0;   // gold items that pruning would have lost
  std::size_t items = 0;  // gold items
};

// Columns go to `space`; null: into memory.
Counted count_treebank(Treebank bank, const ConstOptions& options, const Known& known, Workers& workers,
                       SpillSpace* space);

// What follows from the options, the grammars, the counts and the word vectors.
void finish_plan(const ConstOptions& options, Counted& counted);

}  // namespace hinge::constituents
