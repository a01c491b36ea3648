// The contents of a `dep` model file, and parsing with it.
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

// The contents of a model file. Views the file, which must outlive it. Throws
// ModelError if the file is damaged.
struct StoredParser {
  explicit StoredParser(const ModelFile& file);
  ParserPlan plan(const ModelFile& file);  // call once: moves the layout out

  LabelSet labels;
  TreeOptions options;
  TreeLayout layout;
  ParserWeights weights{};
};

// A first-order model stored in a second-order one or trained for it. Both read
// the same hashed fields, so their templates must be equal.
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

  // Views the file, which must outlive it. Throws ModelError if it is damaged.
  explicit Parser(const ModelFile& file) : Parser(file, StoredParser(file)) {}

  const LabelSet& labels() const { return labels_; }  // empty if unlabelled
  const ParserPlan& plan() const { return plan_; }
  const ParserWeights& weights() const { return weights_; }
  bool likelihood() const { return likelihood_; }  // its scores are then marginals

  // Throw OptionError if the model cannot give several trees or marginals.
  void check_n_best() const;
  void check_marginals() const;

  // Scores the arcs into the workspace; all functions below use the last scored
  // sentence. Throws InputError above kMaxWords words; there must be at least one.
  void score(const Trees& trees, std::size_t i, Workspace& workspace) const;
  void score(const DependencyReader& reader, Workspace& workspace) const;
  // Call before best() and the others: forces the head of a word (from 1).
  void allow_only(std::size_t word, std::size_t head, Workspace& workspace) const;

  // The score of the best tree, which is then in heads() and labels() of the
  // workspace; at most kForbidden / 2 if no tree is allowed.
  double best(Workspace& workspace) const;
  // At most n trees, the best first; see check_n_best().
  std::vector<ScoredTree> n_best(std::size_t n, Workspace& workspace) const;
  // The log of the sum of exp(score) over all trees: a tree of n_best() has the probability
  // exp(score - log_sum).
  double log_sum(Workspace& workspace) const;
  // The labels of a tree, [words + 1]; empty if the model has none. Valid until the
  // next call.
  std::span<const LabelId> label(std::span<const HeadId> heads, Workspace& workspace) const;
  // P(arc from h to m), at [h * workspace.stride() + m]; see check_marginals(). Valid
  // until the next call.
  std::span<const float> marginals(Workspace& workspace) const;
  // Per arc of the best tree, [words + 1]: by how much it beats the best tree
  // without that arc. `best` is the result of best(), called before.
  std::vector<double> margins(double best, Workspace& workspace) const;
  // The score of the best tree in which the word (from 1) has another head than this one;
  // `heads`, [words + 1], is that tree unless the score is at most kForbidden / 2. After best().
  double best_without(HeadId head, std::size_t word, std::span<HeadId> heads, Workspace& workspace) const;
  // That tree for the head in `heads`, [words + 1]; empty if there is none.
  std::vector<HeadId> other_tree(std::span<const HeadId> heads, std::size_t word, Workspace& workspace) const;

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
