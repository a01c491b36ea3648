#include "hinge/decode/arc_factors.h"

#include <algorithm>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/arc_factors.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Doubles>;

// Turns [rows][stride] scores into factors, in place.
void exponentials(double* scores, std::size_t rows, std::size_t stride, double least_log, double* highest,
                  double* sums) {
  const Doubles d;
  const Vector least = hn::Set(d, least_log);
  for (std::size_t m = 0; m < stride; m += hn::Lanes(d)) {
    double* column = scores + m;
    Vector high = hn::Load(d, column);
    for (std::size_t h = 1; h < rows; ++h) high = hn::Max(high, hn::Load(d, column + h * stride));
    Vector sum = hn::Zero(d);
    for (std::size_t h = 0; h < rows; ++h) {
      const Vector x = hn::Sub(hn::Load(d, column + h * stride), high);
      const Vector factor = hn::Exp(d, hn::Max(x, least));
      hn::Store(factor, d, column + h * stride);
      sum = hn::Add(sum, factor);
    }
    hn::StoreU(high, d, highest + m);
    hn::StoreU(sum, d, sums + m);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(exponentials);

}  // namespace

void ArcFactors::fill(const ArcScores& s, std::size_t first_head, double least_log) {
  const std::size_t rows = s.words + 1;
  stride_ = (rows + 7) / 8 * 8;
  factor_.reserve(rows * stride_);
  highest_.resize(stride_);
  sum_.resize(stride_);
  if (first_head >= rows) return;
  for (std::size_t h = first_head; h < rows; ++h) {
    double* to = row(h);
    std::copy_n(s.score + h * s.stride, rows, to);
    // No arcs into the root or from a word to itself: far below all scores.
    to[0] = to[h] = 4.0 * std::numeric_limits<float>::lowest();
    std::fill(to + rows, to + stride_, 0.0);
  }
  HWY_DYNAMIC_DISPATCH(exponentials)
  (row(first_head), rows - first_head, stride_, least_log, highest_.data(), sum_.data());
}

}  // namespace hinge
#endif
