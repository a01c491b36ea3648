// Best label sequences of first-order chains, and the scoring of their nodes: the
// two loops in which tagging spends most of its time. SIMD, chosen at run time.
//
// Layout: rows of labels are padded to `stride` floats. Lanes from `labels` to
// `stride` may hold anything finite; nothing reads results from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hinge/decode/forbidden.h"

namespace hinge {

using LabelId = std::uint16_t;

constexpr std::size_t padded_labels(std::size_t labels) { return (labels + 15) / 16 * 16; }

struct ChainScores {
  std::size_t tokens;
  std::size_t labels;
  std::size_t stride;     // padded_labels(labels)
  const float* node;      // [tokens][stride]
  const float* edge;      // [labels from][stride to]; into token t: edge + t * edge_step
  std::size_t edge_step;  // 0: one matrix for the whole chain

  const float* edges_into(std::size_t t) const { return edge + t * edge_step; }
};

// Fills `path` [tokens] with the best sequence and returns its score; ties go to
// the lowest label. Fills `forward` [tokens][stride] with the best score of a
// prefix that ends in each label.
float viterbi(const ChainScores& scores, std::vector<float>& forward, std::span<LabelId> path);

// For every token and label, the score of the best whole sequence through it
// ("max-marginals"), [tokens][stride]; needs `forward` from viterbi().
void max_marginals(const ChainScores& scores, std::span<const float> forward, std::vector<float>& marginals);

// out[0 .. stride) = sum_k values[k] * w[rows[k] * labels + ...); values null
// means all ones. Reads at most `stride` floats from the start of each row.
void sum_rows(const float* w, std::span<const std::uint32_t> rows, const float* values, std::size_t labels,
              std::size_t stride, float* out);

}  // namespace hinge
