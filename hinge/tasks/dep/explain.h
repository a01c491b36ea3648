// Which features decided a tree: for each word, how much they favour the tree over
// a rival in which the word has another head, and its label over a rival label.
//
// Part scores choose the heads; labels are chosen afterwards in that tree
// (labels.h), so the two are explained separately.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "hinge/features/factor_text.h"
#include "hinge/features/label_set.h"
#include "hinge/tasks/dep/decoder.h"

namespace hinge::dep {

// How much one feature favours the choice over its rival.
struct Contribution {
  std::string feature;  // "h.form=dog m.form=the"
  // For a label: its name. For a head: side and distance of the feature's arc, "left:1",
  // or of several, "left:1, right:2", or "-" if only the other tree has the feature.
  std::string chosen, rival;
  double amount;  // its score for the choice minus that for the rival
};

// Why something was chosen over its rival.
struct Reasons {
  double margin = 0.0;                      // the sum of the contributions
  std::vector<Contribution> contributions;  // largest absolute value first, without zeros
};

struct Explanation {
  HeadId head, rival_head;             // equal if there is no other, and then without reasons; so are labels
  std::vector<HeadId> rival_heads;     // [words + 1], of the tree with the rival, where other words may differ, too
  Reasons of_head;                     // tree score minus that with the rival
  LabelId label = 0, rival_label = 0;  // of the arc to the head; 0 if unlabelled
  Reasons of_label;
};

struct TreeView {
  std::span<const HeadId> heads;    // [words + 1], or empty
  std::span<const LabelId> labels;  // [words + 1], or empty
};

// The best tree, [words + 1], in which a word (from 1) has another head; empty if there is none.
using BestOther = std::function<std::vector<HeadId>(HeadId modifier)>;

// One sentence at a time; one per thread.
class Explainer {
 public:
  // The arguments must outlive it.
  Explainer(const ParserPlan& plan, const LabelSet& labels, const ParserWeights& w);

  // Explains every word of `tree`, which has labels if the model does. Rivals come
  // from `rivals` if they differ, all other words keeping their heads, even if that makes
  // no tree; else they are the best other tree and the best other label.
  std::vector<Explanation> explain(std::span<const WordCells> words, TreeView tree, TreeView rivals,
                                   const BestOther& best_other);

 private:
  class Sums;

  LabelId nearest_label(std::size_t modifier, LabelId label);
  Reasons explain_heads(std::span<const HeadId> heads, std::span<const HeadId> rivals, FactorTexts& texts);
  void add_arc(HeadId head, HeadId modifier, double sign, FactorTexts& texts, Sums& sums);
  void add_triples(std::span<const HeadId> heads, std::span<const HeadId> rivals, FactorTexts& texts,
                   Sums& sums);
  Reasons explain_label(std::size_t modifier, LabelId label, LabelId rival, FactorTexts& texts) const;
  std::span<const std::uint32_t> label_rows(std::size_t modifier) const;

  const ParserPlan& plan_;
  const LabelSet& names_;
  ParserWeights w_;
  FieldHasher hasher_;
  ArcScorer arcs_;
  SecondScorer second_;
  LabelFeatures label_features_;
  std::vector<Key> keys_;
  std::vector<std::uint32_t> label_rows_;  // [words][label templates]
  std::vector<float> label_sums_;
};

}  // namespace hinge::dep
