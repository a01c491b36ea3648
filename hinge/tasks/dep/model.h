// What a model file of `dep` holds, and trees for a sentence from it.
#pragma once

#include <memory>
#include <vector>

#include "hinge/corpus/dependencies.h"
#include "hinge/decode/k_best_trees.h"
#include "hinge/features/label_set.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/dep/decoder.h"
#include "hinge/tasks/dep/memory.h"

namespace hinge::dep {

// What a model file holds. Views the file, which must outlive it. Throws
// ModelError if it is damaged.
struct StoredParser {
  explicit StoredParser(const ModelFile& file);
  ParserPlan plan(const ModelFile& file);  // once: takes the layout

  LabelSet labels;
  TreeOptions options;
  TreeLayout layout;
  ParserWeights weights{};
};

// A first-order model inside another, or made for it. Reads the fields that
// were hashed for the other, so must have its templates.
class StoredPruner {
 public:
  StoredPruner(ModelFile file, const FactorTemplateSet& templates);
  const Pruner& get() const { return pruner_; }

 private:
  ModelFile file_;
  StoredParser stored_;
  ParserPlan plan_;
  Pruner pruner_;
};

// Immutable: threads may share one, each with a Workspace of its own.
class Parser {
 public:
  class Workspace;

  // Views the file, which must outlive it. Throws ModelError where it is damaged.
  explicit Parser(const ModelFile& file) : Parser(file, StoredParser(file)) {}

  const LabelSet& labels() const { return labels_; }  // none: a model without labels
  const ParserPlan& plan() const { return plan_; }
  const ParserWeights& weights() const { return weights_; }
  bool likelihood() const { return likelihood_; }  // trained so that marginals are its scores

  // Throw OptionError where the model cannot give several trees or marginals.
  void check_n_best() const;
  void check_marginals() const;

  // Scores of arcs into the workspace: all below speak of the sentence scored last.
  // InputError where it has more than kMaxWords words; it must have one.
  void score(const Trees& trees, std::size_t i, Workspace& workspace) const;
  void score(const DependencyReader& reader, Workspace& workspace) const;
  // Before best() and the others: the word (from 1) hangs from this head.
  void allow_only(std::size_t word, std::size_t head, Workspace& workspace) const;

  // The score of the best tree, which heads() and labels() of the workspace then
  // show; at most kForbidden / 2 where no tree is allowed.
  double best(Workspace& workspace) const;
  // At most n trees, the best first; see check_n_best().
  std::vector<ScoredTree> n_best(std::size_t n, Workspace& workspace) const;
  // The labels of a tree, [words + 1]; empty where the model has none. They live
  // until the next call.
  std::span<const LabelId> label(std::span<const HeadId> heads, Workspace& workspace) const;
  // P(arc from h to m), at [h * workspace.stride() + m]; see check_marginals(). Lives
  // until the next call.
  std::span<const float> marginals(Workspace& workspace) const;
  // By how much the best tree beats the best one without each of its arcs:
  // [words + 1], after best(), which gave its score.
  std::vector<double> margins(double best, Workspace& workspace) const;

 private:
  Parser(const ModelFile& file, StoredParser&& stored);

  const ModelFile& file_;
  LabelSet labels_;
  ParserPlan plan_;
  std::unique_ptr<StoredPruner> pruner_;  // of a second-order parser
  ParserWeights weights_;
  bool likelihood_;
};

// One per thread. The parser must outlive it.
class Parser::Workspace {
 public:
  explicit Workspace(const Parser& parser);

  std::span<const HeadId> heads() const { return decoder_.heads(); }     // [words + 1]
  std::span<const LabelId> labels() const { return decoder_.labels(); }  // [words + 1], or empty
  std::size_t stride() const { return decoder_.scores().stride; }

 private:
  friend class Parser;

  SentenceFields sentence() const { return {keys_, hasher_.fields()}; }

  TreeDecoder decoder_;
  FieldHasher hasher_;
  std::vector<Key> keys_;
};

}  // namespace hinge::dep
