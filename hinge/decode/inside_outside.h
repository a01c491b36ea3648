// Sums over all projective dependency trees: the log partition function and the
// probabilities of arcs. Baker's inside-outside algorithm (1979) over the spans of
// Eisner (COLING 1996). O(words^3) time, O(words^2) memory. SIMD, chosen at run time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hinge/decode/aligned_rows.h"
#include "hinge/decode/arc_factors.h"
#include "hinge/decode/trees.h"

namespace hinge {

// [width][stride], twice: the span of positions p .. p + width is in column p of
// by_start and in column p + width of by_end, both counted from kMargin.
struct SpanTable {
  static constexpr std::size_t kMargin = 8;

  AlignedRows<double> by_start;
  AlignedRows<double> by_end;
};

// Tables of the passes over a sentence; see inside_outside.cc.
struct TreeSums {
  std::size_t first = 0;  // position p is the word first + p; as in ProjectiveChart
  std::size_t positions = 0;
  std::size_t stride = 0;

  // In probability space.
  ArcFactors factors;
  std::vector<double> scale;  // [words + 1]: multiplies the factors into a word
  std::vector<double> root;   // [positions]: factors or probabilities of arcs from a root that is no position
  AlignedRows<double> right_factor;  // of the arc from a span's first word to its last, as by_start
  AlignedRows<double> left_factor;   // of the arc from its last word to its first
  SpanTable right, left, right_arc, left_arc;
  SpanTable out_right, out_left, out_arc;

  // In log space (inside_outside_logs.cc), all laid out as SpanTable::by_start.
  AlignedRows<double> logs[4];
  AlignedRows<double> highest[3];
  AlignedRows<double> share[3];
};

// Keeps its memory between calls; use one per thread.
class InsideOutside {
 public:
  // The log of the sum over projective trees of exp(score). The marginals are valid
  // until the next call. Scores may be any finite numbers, including kForbidden; if
  // all trees are forbidden, the results are finite and the probabilities of a
  // word's heads still sum to one.
  double run(const ArcScores& scores);

  // The same, always in log space: many times slower, no more accurate. For
  // comparison; `run` calls it by itself when necessary.
  double run_in_logs(const ArcScores& scores);

  // Whether the last run did not need log space.
  bool scaled() const { return scaled_; }

  // P(arc), [words + 1][stride] like the scores; zero where no arc exists.
  std::span<const float> marginals() const { return marginals_; }

 private:
  void prepare(const ArcScores& scores);

  TreeSums sums_;
  std::vector<float> marginals_;
  bool scaled_ = true;
};

}  // namespace hinge
