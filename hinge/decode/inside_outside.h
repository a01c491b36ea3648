// Sums over all projective dependency trees: the log of their total and the
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

// [width][stride], twice: the span of positions p .. p + width stands in the column
// p of one and in the column p + width of the other, both counted from kMargin.
struct SpanTable {
  static constexpr std::size_t kMargin = 8;

  AlignedRows<double> by_start;
  AlignedRows<double> by_end;
};

// What the passes over a sentence read and write; see inside_outside.cc.
struct TreeSums {
  std::size_t first = 0;  // position p is the word first + p; as in ProjectiveChart
  std::size_t positions = 0;
  std::size_t stride = 0;

  // In probability space.
  ArcFactors factors;
  std::vector<double> scale;  // [words + 1]: what factors into a word are multiplied by
  std::vector<double> root;   // [positions]: factors, or probabilities, of arcs from a root that is none
  AlignedRows<double>
      right_factor;                 // of the arc from the first to the last of a span, as SpanTable::by_start
  AlignedRows<double> left_factor;  // and back
  SpanTable right, left, right_arc, left_arc;
  SpanTable out_right, out_left, out_arc;

  // In log space (inside_outside_logs.cc), all as SpanTable::by_start.
  AlignedRows<double> logs[4];
  AlignedRows<double> highest[3];
  AlignedRows<double> share[3];
};

// Keeps its memory from call to call; one for each thread.
class InsideOutside {
 public:
  // The log of the sum over projective trees of exp(score). Afterwards, and until
  // the next call, the marginals hold. Scores may be anything finite, kForbidden
  // included; where all trees are forbidden the results are finite and the
  // probabilities of a word's heads still sum to one.
  double run(const ArcScores& scores);

  // The same, always in log space: many times slower, never better. For
  // comparison; `run` comes here by itself where it must.
  double run_in_logs(const ArcScores& scores);

  // Whether the last run did without log space.
  bool scaled() const { return scaled_; }

  // P(arc), [words + 1][stride] as the scores; zero where there is no arc.
  std::span<const float> marginals() const { return marginals_; }

 private:
  void prepare(const ArcScores& scores);

  TreeSums sums_;
  std::vector<float> marginals_;
  bool scaled_ = true;
};

}  // namespace hinge
