// Sums over all dependency trees, projective or not: the log partition function and
// the probabilities of arcs, by the matrix-tree theorem (Tutte 1984; Koo, Globerson,
// Carreras, Collins, EMNLP 2007; Smith and Smith, EMNLP 2007; McDonald and Satta, IWPT
// 2007). O(words^3) time, O(words^2) memory. SIMD, chosen at run time.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hinge/decode/aligned_rows.h"
#include "hinge/decode/arc_factors.h"
#include "hinge/decode/chu_liu_edmonds.h"
#include "hinge/decode/trees.h"

namespace hinge {

// Tables of the elimination; see matrix_tree.cc. Words are numbered by `order` and
// eliminated from the last number to the first.
struct Elimination {
  std::size_t words = 0;
  std::size_t stride = 0;
  bool single_root = false;
  std::vector<HeadId> order;     // [words + 1]: number -> word; 0 stays 0
  AlignedRows<double> arcs;      // [words + 1][stride], by head
  AlignedRows<double> share;     // [word][head]: q(h), the share of each head in the arcs into the word
  AlignedRows<double> gradient;  // [words + 1][stride], of log Z with respect to arcs
  std::vector<double> total;     // [words + 1]: D, the sum of arcs into a word when it is eliminated
  std::vector<double> kept;      // [stride]: scratch
};

// Keeps its memory between calls; use one per thread.
class MatrixTree {
 public:
  // The log of the sum over trees of exp(score). The marginals are valid until the next
  // call. Scores may be any finite numbers, including kForbidden; if all trees are
  // forbidden, the results are finite and the probabilities of a word's heads still sum
  // to one. Accurate to a float even where a Laplacian could not be inverted: the only
  // subtraction that could cancel is of numbers about as large as a word's number of
  // children.
  double run(const ArcScores& scores);

  // The same, always in log space: many times slower, no more accurate. For
  // comparison; `run` calls it by itself when necessary, that is, if probable trees
  // have arcs that score 230 less than others into the same word.
  double run_in_logs(const ArcScores& scores);

  // Whether the last run did not need log space.
  bool scaled() const { return scaled_; }

  // P(arc), [words + 1][stride] like the scores; zero where no arc exists.
  std::span<const float> marginals() const { return marginals_; }

 private:
  void prepare(const ArcScores& scores, std::size_t last);
  double take_factors(const ArcScores& scores);
  bool read_marginals(const ArcScores& scores);

  Elimination elimination_;
  ArcFactors factors_;
  ChuLiuEdmonds best_tree_;
  std::vector<HeadId> heads_;
  std::vector<float> marginals_;
  bool scaled_ = true;
};

}  // namespace hinge
