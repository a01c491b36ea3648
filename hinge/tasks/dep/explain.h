// Which features decided on a tree: for each word what they say for its head
// against another, and for its label against another.
//
// Heads are chosen by the scores of parts and labels in the tree that these make
// (labels.h), so the two are explained apart.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hinge/features/factor_text.h"
#include "hinge/features/label_set.h"
#include "hinge/tasks/dep/decoder.h"

namespace hinge::dep {

// What one feature says for what was chosen and against its rival.
struct Contribution {
  std::string feature;  // "h.form=dog m.form=the"
  // For a label: its name. For a head: the side and distance the feature goes
  // with, "left:1", or "-" if only the other tree has the feature.
  std::string chosen, rival;
  double amount;  // its score with the one less that with the other
};

// Why something was chosen and not its rival, all else staying.
struct Reasons {
  double margin = 0.0;                      // the sum of the contributions
  std::vector<Contribution> contributions;  // largest in size first; zeros are left out
};

struct Explanation {
  HeadId head, rival_head;  // equal where there is no other, as of labels; then without reasons
  Reasons of_head;          // score of the tree less that with the rival: for order 1 of the arcs alone
  LabelId label = 0, rival_label = 0;  // of the arc to the head; 0 where the model has no labels
  Reasons of_label;
};

struct TreeView {
  std::span<const HeadId> heads;    // [words + 1], or empty
  std::span<const LabelId> labels;  // [words + 1], or empty
};

// One sentence at a time; one per thread.
class Explainer {
 public:
  // What is given must outlive it.
  Explainer(const ParserPlan& plan, const LabelSet& labels, const ParserWeights& w);

  // Explains every word of `tree`, which has labels if the model has. Rivals are
  // those of `rivals` if they differ; else the head with the best arc, whether or
  // not the other arcs allow it, and the best label.
  std::vector<Explanation> explain(std::span<const WordCells> words, TreeView tree, TreeView rivals);

 private:
  class Sums;

  HeadId nearest_head(std::size_t modifier, HeadId head) const;
  LabelId nearest_label(std::size_t modifier, LabelId label);
  Reasons explain_head(TreeView tree, HeadId modifier, HeadId rival, FactorTexts& texts);
  void add_arc(HeadId head, HeadId modifier, double sign, FactorTexts& texts, Sums& sums);
  void add_triples(std::span<const HeadId> heads, HeadId modifier, HeadId rival, FactorTexts& texts,
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
