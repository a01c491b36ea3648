// The scores of one chain and its decoding: shared by training, development scores
// and prediction.
#pragma once

#include <span>
#include <vector>

#include "hinge/core/weights.h"
#include "hinge/decode/viterbi.h"
#include "hinge/tasks/tag/constraints.h"
#include "hinge/tasks/tag/data.h"
#include "hinge/tasks/tag/layout.h"

namespace hinge::tag {

// The scores of one sentence and the memory to decode it. One per thread.
class ChainDecoder {
 public:
  explicit ChainDecoder(std::size_t labels) : labels_(labels), stride_(padded_labels(labels)) {}

  // Sizes the buffers for `tokens`, with one edge matrix per token or one for all.
  // The caller then fills node and edge scores.
  void reset(std::size_t tokens, bool edges_per_token);
  float* node(std::size_t t) { return node_.data() + t * stride_; }
  float* edges_into(std::size_t t) { return edge_.data() + (edges_per_token_ ? t * labels_ * stride_ : 0); }
  std::size_t stride() const { return stride_; }
  std::size_t tokens() const { return tokens_; }

  // Nodes of tokens that are not `wanted` are left at zero; empty: all are.
  void fill(const ChainData& data, std::size_t sentence, const ChainLayout& layout, const Weights& w,
            std::span<const char> wanted = {});
  // One matrix for all tokens, [labels][labels]; null: zeros.
  void set_transitions(const float* transitions);
  void constrain(const Constraints& constraints);
  void allow_only(std::size_t token, std::span<const LabelId> labels);

  ChainScores scores() const;
  std::span<const LabelId> best();  // Viterbi; valid until the next call
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
