// Arc scores as factors whose product is the weight of a tree: the input of the
// sums over trees. SIMD, chosen at run time.
#pragma once

#include <cstddef>
#include <vector>

#include "hinge/decode/aligned_rows.h"
#include "hinge/decode/trees.h"

namespace hinge {

// exp(score(h, m) - the highest score into m), but at least exp(least_log). A tree
// has one arc into each word, so the same amount is taken out of every tree.
class ArcFactors {
 public:
  // Only arcs from heads >= first_head.
  void fill(const ArcScores& scores, std::size_t first_head, double least_log);

  // The factors of one head, [stride()], by word; exp(least_log) where no arc exists.
  const double* row(std::size_t head) const { return factor_.data() + head * stride_; }
  double* row(std::size_t head) { return factor_.data() + head * stride_; }
  std::size_t stride() const { return stride_; }

  double highest(std::size_t word) const { return highest_[word]; }
  double sum(std::size_t word) const { return sum_[word]; }  // of all factors into the word

 private:
  std::size_t stride_ = 0;
  AlignedRows<double> factor_;   // [words + 1][stride_]
  std::vector<double> highest_;  // [stride_]
  std::vector<double> sum_;
};

}  // namespace hinge
