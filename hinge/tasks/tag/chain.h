// A corpus of chains as numbers, and the decoding of one of them: what
// training, development scores and prediction have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/sparse.h"
#include "hinge/core/weights.h"
#include "hinge/decode/viterbi.h"

namespace hinge::tag {

// Sentences in compressed rows. A label at or above `labels` in `gold` is one
// that training never saw (development data only).
struct ChainData {
  std::vector<std::size_t> sentence_begin{0};  // [sentences + 1], into tokens
  std::vector<std::size_t> node_begin{0};      // [tokens + 1], into node_ids
  std::vector<std::uint32_t> node_ids;
  std::vector<float> node_values;          // parallel to node_ids, or empty: all ones
  std::vector<std::size_t> edge_begin{0};  // [tokens + 1], into edge_ids
  std::vector<std::uint32_t> edge_ids;     // features of label pairs that depend on the input
  std::vector<float> edge_values;
  std::vector<LabelId> gold;  // [tokens]
  // Partly labelled sentences: for a token, the labels it may have, as
  // [allowed_begin, allowed_end) of allowed_labels; equal means "just gold".
  std::vector<std::uint32_t> allowed_begin, allowed_end;  // [tokens], or empty
  std::vector<LabelId> allowed_labels;

  std::size_t sentences() const { return sentence_begin.size() - 1; }
  std::size_t tokens() const { return gold.size(); }
  bool is_partial(std::size_t sentence) const;
  std::span<const LabelId> allowed(std::size_t token) const;  // empty: just gold
};

// Where the weights of what lie.
//   nodes [node features][labels] · transitions [labels][labels] · edges [edge features][labels][labels]
struct ChainLayout {
  std::size_t labels = 0;
  std::size_t node_features = 0;
  std::size_t edge_features = 0;
  bool transitions = true;

  std::size_t node(std::size_t feature, std::size_t label) const { return feature * labels + label; }
  std::size_t transitions_begin() const { return node_features * labels; }
  std::size_t edges_begin() const { return transitions_begin() + (transitions ? labels * labels : 0); }
  std::size_t edge(std::size_t feature) const { return edges_begin() + feature * labels * labels; }
  std::size_t dimension() const { return edge(edge_features); }
};

// Which label sequences are well formed.
enum class Scheme { kNone, kIob2, kIobes };

Scheme parse_scheme(std::string_view name);  // kNone where it is none
std::string_view scheme_name(Scheme scheme);

struct Constraints {
  std::vector<float> start;  // [stride], 0 or kForbidden
  std::vector<float> end;    // [stride]
  std::vector<float> edge;   // [labels][stride]
  bool empty() const { return edge.empty(); }
};

Constraints make_constraints(Scheme scheme, std::span<const std::string> labels);
// Whether gold obeys the scheme everywhere.
bool obeys(const ChainData& data, const Constraints& constraints, std::size_t labels);
// The scheme the labels are written in, judged by their prefixes.
Scheme guess_scheme(std::span<const std::string> labels);

// The scores of one sentence and room to decode it. One a thread.
class ChainDecoder {
 public:
  explicit ChainDecoder(std::size_t labels) : labels_(labels), stride_(padded_labels(labels)) {}

  // Sizes the buffers for `tokens`; edges per token where wanted, else one
  // matrix for all. Node and edge scores are then the caller's to fill.
  void reset(std::size_t tokens, bool edges_per_token);
  float* node(std::size_t t) { return node_.data() + t * stride_; }
  float* edges_into(std::size_t t) { return edge_.data() + (edges_per_token_ ? t * labels_ * stride_ : 0); }
  std::size_t stride() const { return stride_; }
  std::size_t tokens() const { return tokens_; }

  void fill(const ChainData& data, std::size_t sentence, const ChainLayout& layout, const Weights& w);
  void constrain(const Constraints& constraints);
  void allow_only(std::size_t token, std::span<const LabelId> labels);

  ChainScores scores() const;
  std::span<const LabelId> best();  // Viterbi; the view lives until the next call
  std::span<const float> forward() const { return forward_; }

 private:
  std::size_t labels_;
  std::size_t stride_;
  std::size_t tokens_ = 0;
  bool edges_per_token_ = false;
  std::vector<float> node_;     // [tokens][stride]
  std::vector<float> edge_;     // [labels][stride], or one such per token
  std::vector<float> forward_;  // [tokens][stride]
  std::vector<LabelId> path_;
};

}  // namespace hinge::tag
