// Sums over all label sequences of a first-order chain: the log partition function
// and the probabilities of labels and label pairs. SIMD, chosen at run time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "hinge/decode/aligned_rows.h"
#include "hinge/decode/viterbi.h"

namespace hinge {

// Tables of the passes over a chain; see forward_backward.cc.
struct ChainSums {
  AlignedRows<float> nodes;  // [tokens][stride]
  AlignedRows<float> edges;  // dense, as ForwardBackward::edges()

  // In probability space.
  AlignedRows<float> factor;   // [tokens][stride]: factors of nodes
  AlignedRows<float> edge;     // [labels][stride], or [tokens][labels][stride]: factors of edges
  AlignedRows<float> turned;   // [labels][stride]: `edge` transposed, or pair sums
  AlignedRows<float> forward;  // [tokens][stride]
  AlignedRows<float> inverse;  // [tokens]: 1 / sum of a row of `forward`

  // In log space (forward_backward_logs.cc); share is 1 / sum of exp(score of a prefix - highest).
  AlignedRows<double> prefix;   // [tokens][stride]
  AlignedRows<double> highest;  // [tokens][stride]
  AlignedRows<float> share;     // [tokens][stride]
};

class ForwardBackward {
 public:
  // The log of the sum over all sequences of exp(score). The probabilities below
  // are valid until the next call. Scores may be any finite numbers, including
  // kForbidden; if all sequences are forbidden, the results are finite and the
  // probabilities of a token still sum to one.
  double run(const ChainScores& scores);

  // The same, always in log space: many times slower, no more accurate. For
  // comparison; `run` calls it by itself when necessary.
  double run_in_logs(const ChainScores& scores);

  // Whether the last run did not need log space.
  bool scaled() const { return scaled_; }

  // P(label y at token t), [tokens][stride]; lanes from labels to stride are zero.
  std::span<const float> nodes() const { return {sums_.nodes.data(), nodes_}; }

  // P(i, then j). If the chain has one edge matrix (edge_step == 0): the sum over
  // tokens t >= 1, [labels][labels]; else [tokens][labels][labels], where matrix t
  // is the step into token t and matrix 0 is zero. Rows are not padded.
  std::span<const float> edges() const { return {sums_.edges.data(), edges_}; }

 private:
  void prepare(const ChainScores& scores);

  ChainSums sums_;
  std::size_t nodes_ = 0;
  std::size_t edges_ = 0;
  bool scaled_ = true;
};

}  // namespace hinge
