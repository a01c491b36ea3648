#include "hinge/tasks/tag/decoder.h"

#include <algorithm>

namespace hinge::tag {

void ChainDecoder::reset(std::size_t tokens, bool edges_per_token) {
  tokens_ = tokens;
  edges_per_token_ = edges_per_token;
  node_.resize(tokens * stride_);
  edge_.resize((edges_per_token ? tokens : 1) * labels_ * stride_);
  path_.resize(tokens);
}

void ChainDecoder::fill(const ChainData& data, std::size_t sentence, const ChainLayout& layout,
                        const Weights& w, std::span<const char> wanted) {
  const std::size_t begin = data.sentence_begin[sentence];
  const std::size_t tokens = data.sentence_begin[sentence + 1] - begin;
  reset(tokens, layout.edge_features > 0);
  const bool valued = !data.node_values.empty();
  for (std::size_t t = 0; t < tokens; ++t) {
    if (!wanted.empty() && !wanted[t]) {
      std::fill_n(node(t), stride_, 0.0f);
      continue;
    }
    const std::size_t first = data.node_begin[begin + t];
    const std::span ids(data.node_ids.data() + first, data.node_begin[begin + t + 1] - first);
    // Rows are far apart in memory: prefetch the next token's while summing these.
    const bool more = t + 1 < tokens && (wanted.empty() || wanted[t + 1]);
    for (std::size_t k = data.node_begin[begin + t + 1]; more && k < data.node_begin[begin + t + 2]; ++k) {
      const float* row = w.data() + layout.node(data.node_ids[k], 0);
      __builtin_prefetch(row);
      __builtin_prefetch(row + labels_ - 1);
    }
    sum_rows(w.data(), ids, valued ? data.node_values.data() + first : nullptr, labels_, stride_, node(t));
  }
  for (std::size_t t = 0; t < (edges_per_token_ ? tokens : 1); ++t) {
    float* edges = edges_into(t);
    const float* base = w.data() + layout.transitions_begin();
    for (std::size_t i = 0; i < labels_; ++i) {
      float* row = edges + i * stride_;
      if (layout.transitions) {
        std::copy_n(base + i * labels_, labels_, row);
      } else {
        std::fill_n(row, labels_, 0.0f);
      }
      for (std::size_t e = data.edge_begin[begin + t]; edges_per_token_ && e < data.edge_begin[begin + t + 1];
           ++e) {
        const float* weights = w.data() + layout.edge(data.edge_ids[e]) + i * labels_;
        const float value = data.edge_values.empty() ? 1.0f : data.edge_values[e];
        for (std::size_t j = 0; j < labels_; ++j) row[j] += value * weights[j];
      }
    }
  }
}

void ChainDecoder::set_transitions(const float* transitions) {
  for (std::size_t i = 0; i < labels_; ++i) {
    float* row = edges_into(0) + i * stride_;
    if (transitions != nullptr) {
      std::copy_n(transitions + i * labels_, labels_, row);
    } else {
      std::fill_n(row, labels_, 0.0f);
    }
  }
}

void ChainDecoder::constrain(const Constraints& constraints) {
  if (constraints.empty() || tokens_ == 0) return;
  for (std::size_t y = 0; y < labels_; ++y) {
    node(0)[y] += constraints.start[y];
    node(tokens_ - 1)[y] += constraints.end[y];
  }
  for (std::size_t t = 0; t < (edges_per_token_ ? tokens_ : 1); ++t) {
    for (std::size_t k = 0; k < labels_ * stride_; ++k) edges_into(t)[k] += constraints.edge[k];
  }
}

void ChainDecoder::allow_only(std::size_t token, std::span<const LabelId> labels) {
  float* scores = node(token);
  for (std::size_t y = 0; y < labels_; ++y) {
    if (std::find(labels.begin(), labels.end(), y) == labels.end()) scores[y] += kForbidden;
  }
}

ChainScores ChainDecoder::scores() const {
  return {.tokens = tokens_,
          .labels = labels_,
          .stride = stride_,
          .node = node_.data(),
          .edge = edge_.data(),
          .edge_step = edges_per_token_ ? labels_ * stride_ : 0};
}

std::span<const LabelId> ChainDecoder::best() {
  viterbi(scores(), forward_, path_);
  return path_;
}

}  // namespace hinge::tag
