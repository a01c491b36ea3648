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
    std::string feature;   // "B" is a transition, its labels in `at` and `against`
    std::string at;        // "NN", or "DT -> NN"
    std::string against;   // the same of the rival
    float value;           // of the feature
    double contribution;   // value * (weight for the label - weight for the rival)
  };
  LabelId label;
  LabelId rival;            // = label where every other is forbidden here
  double margin;            // score of the sequence less that with the rival: the sum of all parts
  std::vector<Part> parts;  // largest in size first
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

  // The file must outlive it. Throws ModelError where it is damaged or no tagger.
  explicit Tagger(const ModelFile& file);

  const LabelSet& labels() const { return labels_; }
  const FileLayout& layout() const { return layout_; }
  bool reads_attributes() const { return features_.attributes; }
  bool likelihood() const { return likelihood_; }  // scores are probabilities by nature

  // Scores of a sentence into the room: all below speak of the sentence scored
  // last. InputError where it is not what the model was trained on.
  void score(const Sentences& sentences, std::size_t i, Room& room) const;
  void score(const TagReader& reader, Room& room) const;
  // Before best() and the others: only these labels may be at the token.
  void allow_only(std::size_t token, std::span<const LabelId> labels, Room& room) const;

  std::span<const LabelId> best(Room& room) const;  // [tokens]; lives until the next call
  // At most n sequences, the best first; none where there are no tokens.
  std::vector<ScoredPath> n_best(std::size_t n, Room& room) const;
  // P(label y at token t), at [t * stride(room) + y]; lives until the next call.
  std::span<const float> marginals(Room& room) const;
  // The score of the best sequence with label y at token t, in the same places.
  std::span<const float> max_marginals(Room& room) const;
  std::size_t stride(const Room& room) const;
  // For the sequence `path`, against those of `rivals` where these differ, else
  // against the best single change. rivals: empty, or [tokens].
  std::vector<Explanation> explain(std::span<const LabelId> path, std::span<const LabelId> rivals,
                                   Room& room) const;

  // Weights by name; of hashed features by number. Slow.
  std::vector<StateWeight> state_weights() const;
  std::span<const float> transitions() const { return transitions_; }  // [from][to]; zeros where there are none
  std::vector<WeightLine> heaviest(std::size_t n) const;
  std::size_t feature_count() const { return nodes_.rows() + edges_.rows(); }
  std::size_t weight_count() const { return nodes_.entries() + edges_.entries(); }

 private:
};

}  // namespace hinge::tag
