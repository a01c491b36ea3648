// Trees for a sentence, from a model file.
#pragma once

#include <memory>
#include <vector>

#include "hinge/tasks/dep/stored.h"
#include "hinge/tasks/dep/trees.h"

namespace hinge::dep {

// Immutable: threads may share one, each with a Room of its own.
class TreeParser {
 public:
  class Room;

  // Views the file, which must outlive it. Throws ModelError where it is damaged.
  explicit TreeParser(const ModelFile& file) : TreeParser(file, StoredParser(file)) {}

  const LabelSet& labels() const { return labels_; }  // none: a model without labels
  const Grammar& grammar() const { return grammar_; }
  const ParserWeights& weights() const { return weights_; }
  bool likelihood() const { return likelihood_; }  // trained so that marginals are its scores

  // Throw OptionError where the model cannot give several trees or marginals.
  void check_n_best() const;
  void check_marginals() const;

  // Scores of arcs into the room: all below speak of the sentence scored last.
  // InputError where it has more than kMaxWords words; it must have one.
  void score(const Trees& trees, std::size_t i, Room& room) const;
  void score(const DependencyReader& reader, Room& room) const;
  // Before best() and the others: the word (from 1) hangs from this head.
  void allow_only(std::size_t word, std::size_t head, Room& room) const;

  // The score of the best tree, which heads() and labels() of the room then
  // show; at most kForbidden / 2 where no tree is allowed.
  double best(Room& room) const;
  // At most n trees, the best first; see check_n_best().
  std::vector<ScoredTree> n_best(std::size_t n, Room& room) const;
  // The labels of a tree, [words + 1]; empty where the model has none. They live
  // until the next call.
  std::span<const LabelId> label(std::span<const HeadId> heads, Room& room) const;
  // P(arc from h to m), at [h * room.stride() + m]; see check_marginals(). Lives
  // until the next call.
  std::span<const float> marginals(Room& room) const;
  // Of every arc of the best tree, how much the tree beats the best without it:
  // [words + 1], after best(), which gave its score.
  std::vector<double> margins(double best, Room& room) const;

 private:
  TreeParser(const ModelFile& file, StoredParser&& stored);

  const ModelFile& file_;
  LabelSet labels_;
  Grammar grammar_;
  std::unique_ptr<StoredPruner> pruner_;  // of a second-order parser
  ParserWeights weights_;
  bool likelihood_;
};

// One a thread. The parser must outlive it.
class TreeParser::Room {
 public:
  explicit Room(const TreeParser& parser);

  std::span<const HeadId> heads() const { return parser_.heads(); }     // [words + 1]
  std::span<const LabelId> labels() const { return parser_.labels(); }  // [words + 1], or empty
  std::size_t stride() const { return parser_.scores().stride; }

 private:
  friend class TreeParser;

  SentenceFields sentence() const { return {keys_, hasher_.fields()}; }

  Parser parser_;
  FieldHasher hasher_;
  std::vector<Key> keys_;
};

}  // namespace hinge::dep
