// The contents of a `tag` model file, and tagging with it.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "hinge/decode/forward_backward.h"
#include "hinge/decode/k_best.h"
#include "hinge/model/row_table.h"
#include "hinge/tasks/system.h"
#include "hinge/tasks/tag/decoder.h"
#include "hinge/tasks/tag/explain.h"
#include "hinge/tasks/tag/features.h"
#include "hinge/tasks/tag/lookback.h"
#include "hinge/tasks/tag/memory.h"
#include "hinge/tasks/tag/support_model.h"

namespace hinge::tag {

struct StateWeight {
  std::string feature;
  LabelId label;
  float weight;
};

// Immutable: threads may share one, each with a Workspace of its own.
class Tagger {
 public:
  class Workspace;

  // Views the file, which must outlive it. Throws ModelError if it is damaged.
  explicit Tagger(const ModelFile& file);

  const LabelSet& labels() const { return labels_; }
  const FileLayout& layout() const { return layout_; }
  bool reads_attributes() const { return features_.attributes; }
  // Of features, or of a kernel's conjunctions.
  std::int64_t hash_bits() const { return std::max(features_.hash_bits, conjunctions_.bits()); }
  bool likelihood() const { return likelihood_; }  // its scores are then marginals
  // How many sentences before it the labels of a sentence depend on.
  std::size_t lookback() const { return features_.model.lookback(); }

  // Scores a sentence into the workspace; all functions below use the last scored
  // sentence. Throws InputError if it does not fit the training data.
  void score(const Sentences& sentences, std::size_t i, Workspace& workspace) const;
  // The reader was made with layout(); sentences are scored in the order of the text, after
  // begin() with each slice of it.
  void begin(const LookbackSlice& slice, TagReader& reader, Workspace& workspace) const;
  void score(const TagReader& reader, Workspace& workspace) const;
  // Call before best() and the others: restricts the labels of a token.
  void allow_only(std::size_t token, std::span<const LabelId> labels, Workspace& workspace) const;

  // Views are valid until the next call.
  std::span<const LabelId> best(Workspace& workspace) const;  // [tokens]
  // At most n sequences, the best first; none if there are no tokens.
  std::vector<ScoredPath> n_best(std::size_t n, Workspace& workspace) const;
  // The log of the sum of exp(score) over all sequences: a sequence of n_best() has the probability
  // exp(score - log_sum).
  double log_sum(Workspace& workspace) const;
  // P(label y at token t), at [t * stride() + y].
  std::span<const float> marginals(Workspace& workspace) const;
  // The score of the best sequence with label y at token t, in the same places.
  std::span<const float> max_marginals(Workspace& workspace) const;
  std::size_t stride() const { return padded_labels(labels_.size()); }
  // The score of any sequence, [tokens].
  double score_of(std::span<const LabelId> path, const Workspace& workspace) const;
  // Explains `path`, [tokens]. The rival of a token comes from `rivals`, [tokens] or
  // empty, if it differs (labels().size(): unknown); else it is the best other label, or
  // that of the best other sequence if no single label may change.
  std::vector<Explanation> explain(std::span<const LabelId> path, std::span<const LabelId> rivals,
                                   const Workspace& workspace) const;

  // All nonzero weights, by name. Hashed features are named by row number if no names are kept.
  std::vector<StateWeight> state_weights() const;
  std::span<const float> transitions() const { return transitions_; }  // [from][to]
  std::vector<WeightLine> heaviest(std::size_t n) const;
  std::size_t feature_count() const;
  std::size_t weight_count() const;
  std::size_t support_vectors() const { return support_.size(); }
  std::string kernel() const { return kernel_; }  // "linear", or its formula

 private:
  struct NodeRows;
  struct Collector;
  struct Choice {
    LabelId label, rival;
  };

  void look_back(const Sentences& sentences, std::size_t i, Workspace& workspace) const;
  void observe(const Cells& cells, Workspace& workspace) const;
  template <typename Where>
  void score_cells(const Cells& cells, Workspace& workspace, const Where& where) const;
  void score_attributes(const AttributeRows& rows, Workspace& workspace) const;
  void score_nodes(const NodeRows& rows, std::size_t tokens, Workspace& workspace) const;
  void score_edges(std::size_t tokens, Workspace& workspace) const;

  LabelId nearest_rival(std::span<const LabelId> path, std::size_t t, const ChainScores& scores) const;
  std::vector<LabelId> best_other(std::span<const LabelId> path, std::size_t t,
                                  const ChainScores& scores) const;
  std::vector<LabelId> rival_sequence(std::span<const LabelId> path, std::size_t t,
                                      std::span<const LabelId> rivals, const ChainScores& scores) const;
  template <typename Name>
  void explain_features(std::span<const Key> keys, const float* values, Choice of, Collector& out,
                        const Name& name) const;
  void explain_node(std::size_t t, Choice of, const Workspace& workspace, Collector& out) const;
  void explain_pair(std::size_t t, std::size_t pair, std::size_t rival_pair, const Workspace& workspace,
                    Collector& out) const;
  std::string pair_name(std::size_t pair) const;

  const ModelFile& file_;
  FileLayout layout_;
  LabelSet labels_;
  Features features_;
  std::size_t columns_read_ = 0;  // by templates
  RowTable nodes_;
  RowTable edges_;
  ConjunctionTable conjunctions_;
  SupportVectors support_;
  std::string kernel_;
  std::vector<float> transitions_;  // [labels][labels]
  Constraints constraints_;
  bool likelihood_;
};

// Memory for scoring and decoding; one per thread. The tagger must outlive it, and
// for explain() the last scored sentence must still exist.
class Tagger::Workspace {
 public:
  explicit Workspace(const Tagger& tagger);

 private:
  friend class Tagger;
  Cells cells_of(const Sentences& sentences, std::size_t i);

  Extractor extractor_;
  ChainDecoder decoder_;
  FeatureKeys keys_;
  AttributeRows attributes_{};
  std::vector<std::string_view> cells_;  // of a sentence in memory
  std::vector<std::size_t> columns_;     // 0, 1, 2, ...
  std::uint64_t seen_ = 0;               // the serial of the Sentences that the extractor knows,
  std::size_t seen_end_ = 0;             // and how far
  std::vector<RowTable::Row> rows_;      // of one token
  ConjunctionTable::Scratch conjunctions_;
  SupportVectors::Scratch support_;
  std::vector<float> sums_;           // [labels] or [labels][labels], plus slack for damaged models
  std::vector<float> max_marginals_;  // [tokens][stride]
  ForwardBackward sums_over_all_;
  bool decoded_ = false;
};

}  // namespace hinge::tag
