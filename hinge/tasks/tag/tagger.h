// Labels for a sentence, from a model file.
#pragma once

#include <string>
#include <vector>

#include "hinge/decode/forward_backward.h"
#include "hinge/decode/k_best.h"
#include "hinge/model/row_table.h"
#include "hinge/tasks/system.h"
#include "hinge/tasks/tag/corpus.h"
#include "hinge/tasks/tag/sentences.h"

namespace hinge::tag {

// Why a token got its label and not another, all other labels staying.
struct Explanation {
  struct Part {
    std::string feature;  // "B" for a plain transition
    std::string label;    // "NN", or for two neighbours "DT -> NN"
    std::string rival;    // the same with the rival put in
    float value;          // of the feature
    double contribution;  // value * (weight for the label - weight for the rival)
  };
  LabelId label;
  LabelId rival;            // equal to label where every other is forbidden
  double margin;            // score of the sequence less that with the rival: the sum of the parts
  std::vector<Part> parts;  // largest in size first; those of no weight are left out
};

struct StateWeight {
  std::string feature;
  LabelId label;
  float weight;
};

// Immutable: threads may share one, each with a Room of its own.
class Tagger {
 public:
  class Room;

  // Views the file, which must outlive it. Throws ModelError where it is damaged.
  explicit Tagger(const ModelFile& file);

  const LabelSet& labels() const { return labels_; }
  const FileLayout& layout() const { return layout_; }
  bool reads_attributes() const { return features_.attributes; }
  std::int64_t hash_bits() const { return features_.hash_bits; }
  bool likelihood() const { return likelihood_; }  // trained so that marginals are its scores

  // Scores of a sentence into the room: all below speak of the sentence scored
  // last. InputError where it is not what the model was trained on.
  void score(const Sentences& sentences, std::size_t i, Room& room) const;
  void score(const TagReader& reader, Room& room) const;  // made with layout()
  // Before best() and the others: only these labels may be at the token.
  void allow_only(std::size_t token, std::span<const LabelId> labels, Room& room) const;

  // Views live until the next call.
  std::span<const LabelId> best(Room& room) const;  // [tokens]
  // At most n sequences, the best first; none where there are no tokens.
  std::vector<ScoredPath> n_best(std::size_t n, Room& room) const;
  // P(label y at token t), at [t * stride() + y].
  std::span<const float> marginals(Room& room) const;
  // The score of the best sequence with label y at token t, in the same places.
  std::span<const float> max_marginals(Room& room) const;
  std::size_t stride() const { return padded_labels(labels_.size()); }
  // Of `path`, [tokens]. The rival at a token is the label of `rivals`, [tokens]
  // or empty, where that is another (labels().size(): unknown); else the nearest.
  std::vector<Explanation> explain(std::span<const LabelId> path, std::span<const LabelId> rivals,
                                   const Room& room) const;

  // All that are not zero, by name. Features hashed to rows have numbers for names.
  std::vector<StateWeight> state_weights() const;
  std::span<const float> transitions() const { return transitions_; }  // [from][to]
  std::vector<WeightLine> heaviest(std::size_t n) const;
  std::size_t feature_count() const { return nodes_.rows() + edges_.rows(); }
  std::size_t weight_count() const { return nodes_.entries() + edges_.entries(); }

 private:
  struct NodeRows;
  struct Contributions;

  template <typename Where>
  void score_cells(const Cells& cells, Room& room, const Where& where) const;
  void score_attributes(const AttributeRows& rows, Room& room) const;
  void score_nodes(const NodeRows& rows, std::size_t tokens, Room& room) const;
  void score_edges(std::size_t tokens, Room& room) const;

  LabelId nearest_rival(std::span<const LabelId> path, std::size_t t, const ChainScores& scores) const;
  void explain_node(std::size_t t, const Room& room, Contributions& out) const;
  void explain_pair(std::size_t t, std::size_t pair, std::size_t rival_pair, const Room& room,
                    Contributions& out) const;
  std::string pair_name(std::size_t pair) const;
  FeatureNames names(std::string_view section, const std::vector<Template>& templates) const;
  std::vector<Template> node_templates() const;

  const ModelFile& file_;
  FileLayout layout_;
  LabelSet labels_;
  Features features_;
  std::size_t columns_read_ = 0;  // by templates
  RowTable nodes_;
  RowTable edges_;
  std::vector<float> transitions_;  // [labels][labels]
  Constraints constraints_;
  bool likelihood_;
};

// What scoring and decoding need beside the model: one a thread. The tagger must
// outlive it, and what was scored last must still be there for explain().
class Tagger::Room {
 public:
  explicit Room(const Tagger& tagger);

 private:
  friend class Tagger;

  Extractor extractor_;
  ChainDecoder decoder_;
  FeatureKeys keys_;
  AttributeRows attributes_{};
  std::vector<std::string_view> cells_;  // of a sentence in memory
  std::vector<std::size_t> columns_;     // 0, 1, 2, ...
  std::vector<RowTable::Row> rows_;      // of one token
  std::vector<float> sums_;              // [labels] or [labels][labels], and what damaged columns may reach
  std::vector<float> max_marginals_;     // [tokens][stride]
  ForwardBackward sums_over_all_;
  bool decoded_ = false;
};

}  // namespace hinge::tag
