// Scores of arcs turned into factors, of which a tree is the product: what the
// sums over trees begin with. SIMD, chosen at run time.
#pragma once

#include <cstddef>
#include <vector>

#include "hinge/decode/aligned_rows.h"
#include "hinge/decode/trees.h"

namespace hinge {

// exp(score(h, m) - the highest score into m), or exp(least_log) where it is less
// than that. A tree has one arc into each word, so that what is taken out of the
// scores of trees is the same for all.
class ArcFactors {
 public:
  // Only arcs from heads >= first_head.
  void fill(const ArcScores& scores, std::size_t first_head, double least_log);

  // For one head, [stride()] by word. What is not an arc has the least factor.
  const double* row(std::size_t head) const { return factor_.data() + head * stride_; }
  double* row(std::size_t head) { return factor_.data() + head * stride_; }
  std::size_t stride() const { return stride_; }

  double highest(std::size_t word) const { return highest_[word]; }
  double sum(std::size_t word) const { return sum_[word]; }  // of the factors into it

 private:
  std::size_t stride_ = 0;
  AlignedRows<double> factor_;   // [words + 1][stride_]
  std::vector<double> highest_;  // [stride_]
  std::vector<double> sum_;
};

}  // namespace hinge
