// Spans as in eisner.cc, with sums instead of maxima and products instead of sums:
//
//   M(i, j)       = sum_{i <= q < j} C_right(i, q) C_left(q + 1, j)
//   I_right(i, j) = a(i, j) M(i, j),     I_left(i, j) = a(j, i) M(i, j)
//   C_right(i, j) = sum_{i < q <= j} I_right(i, q) C_right(q, j)
//   C_left(i, j)  = sum_{i <= q < j} C_left(i, q) I_left(q, j)
//
// where a(h, m) = exp(score(h, m) - the highest into m) / min(c, 6.75), c being the sum
// of these exponentials over h. A tree has one arc into each word, so all trees are
// scaled alike. There are about 6.75^words projective trees, so the sums hardly grow or
// shrink with sentence length, whether all arcs are alike or each word has one certain
// head.
//
// The outside of a span is the derivative of the total Z with respect to it: each
// equation gives one sum per factor, and P(arc) = I(arc) outside(arc) / Z.
//
// Underflow. All terms are nonnegative, so rounding costs only relative accuracy.
// Nothing underflows silently: factors a below kLeastFactor are raised to it, and sums
// begin at kLeastInside or kLeastOutside. These are far above what products can lose,
// and above the denormal doubles, which can be a hundred times slower. All results are
// then upper bounds. As Z is linear in each span and each arc, its derivatives show that
// the part added is at most
//
//   kLeastInside sum(outside) / Z + kLeastOutside sum(inside) / Z + P(arcs raised)
//
// of the whole. If that exceeds kMaxAdded or is NaN, log space is used instead.
#include "hinge/decode/inside_outside.h"

#include "hinge/core/interrupt.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/inside_outside.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Doubles>;

constexpr double kLeastFactor = 1e-289;  // anything below has been raised
constexpr double kLeastInside = 1e-290;
constexpr double kLeastOutside = 1e-300;
constexpr double kMaxAdded = 1e-9;
constexpr double kLeastMarginal = 1e-30;  // anything below becomes zero

// Pointers to the column of position 0.
struct Table {
  explicit Table(SpanTable& table)
      : by_start(table.by_start.data() + SpanTable::kMargin),
        by_end(table.by_end.data() + SpanTable::kMargin) {}

  double* by_start;
  double* by_end;
};

class Passes {
 public:
  explicit Passes(TreeSums& sums)
      : positions_(sums.positions),
        stride_(sums.stride),
        right_factor_(sums.right_factor.data() + SpanTable::kMargin),
        left_factor_(sums.left_factor.data() + SpanTable::kMargin),
        right_(sums.right),
        left_(sums.left),
        right_arc_(sums.right_arc),
        left_arc_(sums.left_arc),
        out_right_(sums.out_right),
        out_left_(sums.out_left),
        out_arc_(sums.out_arc) {}

  HWY_INLINE void prepare() const;
  HWY_INLINE void inside();
  HWY_INLINE double total(const double* root);
  HWY_INLINE void seed(const double* root, double z) const;
  HWY_INLINE void outside();
  HWY_INLINE bool is_accurate() const;

 private:
  static constexpr std::size_t kColumns = SpanTable::kMargin;

  template <std::size_t kVectors>
  HWY_INLINE void add_products(const double* a, const double* b, std::ptrdiff_t b_step, std::size_t count,
                               Vector* sum) const;
  HWY_INLINE Vector only_spans(std::size_t width, std::size_t start, Vector values) const;
  HWY_INLINE void store(const Table& table, std::size_t width, std::size_t start, Vector values) const;
  HWY_INLINE void store_probability(double* factor, std::size_t at, const Table& arc, Vector out);

  template <std::size_t kVectors>
  HWY_INLINE void inside_arcs(std::size_t width, std::size_t start);
  template <std::size_t kVectors>
  HWY_INLINE void inside_spans(std::size_t width, std::size_t start);
  template <std::size_t kVectors>
  HWY_INLINE void outside_spans(std::size_t width, std::size_t start);
  template <std::size_t kVectors>
  HWY_INLINE void outside_arcs(std::size_t width, std::size_t start);

  std::size_t positions_;
  std::size_t stride_;
  double* right_factor_;
  double* left_factor_;
  Table right_, left_, right_arc_, left_arc_;
  Table out_right_, out_left_, out_arc_;
  Vector inside_ = hn::Zero(Doubles());   // sums over all spans, by lane
  Vector outside_ = hn::Zero(Doubles());  // likewise
  Vector raised_ = hn::Zero(Doubles());   // total probability of raised arcs, by lane
};

// sum[v] += sum_k a[k][v] b[k][v], where a advances by a row and b by b_step. Terms
// alternate between kWays independent sums, which hides latency.
template <std::size_t kVectors>
HWY_INLINE void Passes::add_products(const double* a, const double* b, std::ptrdiff_t b_step,
                                     std::size_t count, Vector* sum) const {
  constexpr std::size_t kWays = 4 / kVectors;
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  Vector sums[kWays][kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sums[0][v] = sum[v];
  for (std::size_t way = 1; way < kWays; ++way)
    for (std::size_t v = 0; v < kVectors; ++v) sums[way][v] = hn::Set(d, kLeastOutside);
  const auto add = [&](Vector* to) HWY_ATTR {
    for (std::size_t v = 0; v < kVectors; ++v) {
      to[v] = hn::MulAdd(hn::LoadU(d, a + v * lanes), hn::LoadU(d, b + v * lanes), to[v]);
    }
    a += stride_;
    b += b_step;
  };
  for (; count >= kWays; count -= kWays)
    for (std::size_t way = 0; way < kWays; ++way) add(sums[way]);
  for (; count > 0; --count) add(sums[0]);
  for (std::size_t way = 1; way < kWays; ++way)
    for (std::size_t v = 0; v < kVectors; ++v) sums[0][v] = hn::Add(sums[0][v], sums[way][v]);
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = sums[0][v];
}

// Zero beyond the last position.
HWY_INLINE Vector Passes::only_spans(std::size_t width, std::size_t start, Vector values) const {
  return hn::IfThenElseZero(hn::FirstN(Doubles(), positions_ - width - start), values);
}

HWY_INLINE void Passes::store(const Table& table, std::size_t width, std::size_t start, Vector values) const {
  const std::size_t at = width * stride_ + start;
  hn::Store(values, Doubles(), table.by_start + at);
  hn::StoreU(values, Doubles(), table.by_end + at + width);
}

// Zeroes the margins: vectors also read spans that would end after the last position
// or start before the first. Sets spans of single words to one.
HWY_INLINE void Passes::prepare() const {
  const Doubles d;
  for (const Table* table : {&right_, &left_, &right_arc_, &left_arc_, &out_right_, &out_left_, &out_arc_}) {
    for (std::size_t width = 0; width < positions_; ++width) {
      for (std::size_t i = 0; i < SpanTable::kMargin; i += hn::Lanes(d)) {
        hn::StoreU(hn::Zero(d), d, table->by_start + width * stride_ + positions_ - width + i);
        hn::StoreU(hn::Zero(d), d, table->by_end + width * (stride_ + 1) - SpanTable::kMargin + i);
      }
    }
  }
  for (const Table* table : {&right_, &left_}) {
    std::fill_n(table->by_start, positions_, 1.0);
    std::fill_n(table->by_end, positions_, 1.0);
  }
}

template <std::size_t kVectors>
HWY_INLINE void Passes::inside_arcs(std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t row = width * stride_ + start;
  const std::ptrdiff_t step = -static_cast<std::ptrdiff_t>(stride_);
  Vector sum[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) sum[v] = hn::Set(d, kLeastInside);
  add_products<kVectors>(right_.by_start + start, left_.by_end + row - stride_ + width, step, width, sum);
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t shift = v * hn::Lanes(d);
    sum[v] = only_spans(width, start + shift, sum[v]);
    inside_ = hn::Add(inside_, sum[v]);
    const Vector right =
        hn::MulAdd(sum[v], hn::Load(d, right_factor_ + row + shift), hn::Set(d, kLeastInside));
    const Vector left = hn::MulAdd(sum[v], hn::Load(d, left_factor_ + row + shift), hn::Set(d, kLeastInside));
    store(right_arc_, width, start + shift, only_spans(width, start + shift, right));
    store(left_arc_, width, start + shift, only_spans(width, start + shift, left));
  }
}

template <std::size_t kVectors>
HWY_INLINE void Passes::inside_spans(std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t end = width * stride_ + start + width;
  const std::ptrdiff_t step = -static_cast<std::ptrdiff_t>(stride_);
  Vector right[kVectors];
  Vector left[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) right[v] = left[v] = hn::Set(d, kLeastInside);
  add_products<kVectors>(right_arc_.by_start + stride_ + start, right_.by_end + end - stride_, step, width,
                         right);
  add_products<kVectors>(left_.by_start + start, left_arc_.by_end + end, step, width, left);
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t first = start + v * hn::Lanes(d);
    right[v] = only_spans(width, first, right[v]);
    left[v] = only_spans(width, first, left[v]);
    inside_ = hn::Add(inside_, hn::Add(right[v], left[v]));
    store(right_, width, first, right[v]);
    store(left_, width, first, left[v]);
  }
}

// Sums over the longer spans with the same start or the same end that contain this
// one. Lanes with fewer of these read zeros from the margins.
template <std::size_t kVectors>
HWY_INLINE void Passes::outside_spans(std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t row = width * stride_ + start;
  const std::size_t above = row + stride_;
  const std::size_t same_start = positions_ - 1 - start - width;
  const std::size_t same_end = std::min(start + kVectors * lanes, positions_ - width) - 1;
  Vector right[kVectors];
  Vector left[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) {
    right[v] = hn::Add(hn::Load(d, out_right_.by_start + row + v * lanes), hn::Set(d, kLeastOutside));
    left[v] = hn::Add(hn::Load(d, out_left_.by_start + row + v * lanes), hn::Set(d, kLeastOutside));
  }
  add_products<kVectors>(out_arc_.by_start + above, left_.by_start + start + width + 1, stride_, same_start,
                         right);
  add_products<kVectors>(out_right_.by_end + above + width, right_arc_.by_end + stride_ + start, stride_,
                         same_end, right);
  add_products<kVectors>(out_left_.by_start + above, left_arc_.by_start + stride_ + start + width, stride_,
                         same_start, left);
  add_products<kVectors>(out_arc_.by_end + above + width, right_.by_end + start - 1, stride_, same_end, left);
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t first = start + v * lanes;
    right[v] = only_spans(width, first, right[v]);
    left[v] = only_spans(width, first, left[v]);
    outside_ = hn::Add(outside_, hn::Add(right[v], left[v]));
    store(out_right_, width, first, right[v]);
    store(out_left_, width, first, left[v]);
  }
}

// Overwrites the factor of an arc with P(arc); zero if the factor was raised.
HWY_INLINE void Passes::store_probability(double* factor, std::size_t at, const Table& arc, Vector out) {
  const Doubles d;
  const auto was_raised = hn::Lt(hn::Load(d, factor + at), hn::Set(d, kLeastFactor));
  const Vector least = hn::Set(d, kLeastMarginal);
  const Vector p = hn::MulAdd(hn::Load(d, arc.by_start + at), out, least);
  raised_ = hn::Add(raised_, hn::IfThenElseZero(was_raised, p));
  hn::Store(hn::IfThenZeroElse(hn::Or(was_raised, hn::Le(p, hn::Add(least, least))), p), d, factor + at);
}

template <std::size_t kVectors>
HWY_INLINE void Passes::outside_arcs(std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const std::size_t row = width * stride_ + start;
  const std::size_t same_start = positions_ - start - width;
  const std::size_t same_end = std::min(start + kVectors * lanes, positions_ - width);
  Vector right[kVectors];
  Vector left[kVectors];
  for (std::size_t v = 0; v < kVectors; ++v) right[v] = left[v] = hn::Set(d, kLeastOutside);
  add_products<kVectors>(out_right_.by_start + row, right_.by_start + start + width, stride_, same_start,
                         right);
  add_products<kVectors>(out_left_.by_end + row + width, left_.by_end + start, stride_, same_end, left);
  for (std::size_t v = 0; v < kVectors; ++v) {
    const std::size_t first = start + v * lanes;
    const std::size_t at = row + v * lanes;
    right[v] = only_spans(width, first, right[v]);
    left[v] = only_spans(width, first, left[v]);
    const Vector out =
        hn::MulAdd(right[v], hn::Load(d, right_factor_ + at),
                   hn::MulAdd(left[v], hn::Load(d, left_factor_ + at), hn::Set(d, kLeastOutside)));
    const Vector arc = only_spans(width, first, out);
    outside_ = hn::Add(hn::Add(outside_, arc), hn::Add(right[v], left[v]));
    store(out_arc_, width, first, arc);
    store_probability(right_factor_, at, right_arc_, right[v]);
    store_probability(left_factor_, at, left_arc_, left[v]);
  }
}

// Both passes go over blocks of spans, after all their parts (inside) or all that
// contain them (outside): see fill_spans in eisner.cc.
HWY_INLINE void Passes::inside() {
  const std::size_t lanes = hn::Lanes(Doubles());
  for (std::size_t start = (positions_ - 1) / kColumns * kColumns + kColumns; start > 0;) {
    check_interrupt();
    start -= kColumns;
    for (std::size_t width = 1; start + width < positions_; ++width) {
      const std::size_t end = std::min(start + kColumns, positions_ - width);
      std::size_t p = start;
      for (; p + lanes < end; p += 2 * lanes) inside_arcs<2>(width, p);
      if (p < end) inside_arcs<1>(width, p);
      p = start;
      for (; p + lanes < end; p += 2 * lanes) inside_spans<2>(width, p);
      if (p < end) inside_spans<1>(width, p);
    }
  }
}

HWY_INLINE void Passes::outside() {
  const std::size_t lanes = hn::Lanes(Doubles());
  for (std::size_t start = 0; start < positions_; start += kColumns) {
    check_interrupt();
    for (std::size_t width = positions_ - 1 - start; width > 0; --width) {
      const std::size_t end = std::min(start + kColumns, positions_ - width);
      std::size_t p = start;
      for (; p + lanes < end; p += 2 * lanes) outside_spans<2>(width, p);
      if (p < end) outside_spans<1>(width, p);
      p = start;
      for (; p + lanes < end; p += 2 * lanes) outside_arcs<2>(width, p);
      if (p < end) outside_arcs<1>(width, p);
    }
  }
}

// root: factors of the arcs from a root that is not a position, or null.
HWY_INLINE double Passes::total(const double* root) {
  const std::size_t last = positions_ - 1;
  if (root == nullptr) return right_.by_start[last * stride_];
  double sum = 0.0;
  double raised = 0.0;
  for (std::size_t p = 0; p <= last; ++p) {
    const double mass = root[p] * left_.by_start[p * stride_] * right_.by_start[(last - p) * stride_ + p];
    sum += mass;
    if (root[p] < kLeastFactor) raised += mass;
  }
  raised_ = hn::Set(Doubles(), raised / sum);
  return sum;
}

// The derivatives of log Z with which the outside pass begins.
HWY_INLINE void Passes::seed(const double* root, double z) const {
  const std::size_t last = positions_ - 1;
  for (std::size_t width = 1; width <= last; ++width) {
    double* right = out_right_.by_start + width * stride_;
    double* left = out_left_.by_start + width * stride_;
    std::fill_n(right, positions_ - width, 0.0);
    std::fill_n(left, positions_ - width, 0.0);
    if (root == nullptr) continue;
    left[0] = root[width] * right_.by_start[(last - width) * stride_ + width] / z;
    right[last - width] = root[last - width] * left_.by_start[(last - width) * stride_] / z;
  }
  if (root == nullptr) out_right_.by_start[last * stride_] = 1.0 / z;
}

HWY_INLINE bool Passes::is_accurate() const {
  const Doubles d;
  const double inside = hn::GetLane(hn::SumOfLanes(d, inside_));
  const double outside = hn::GetLane(hn::SumOfLanes(d, outside_));
  const double raised = hn::GetLane(hn::SumOfLanes(d, raised_));
  return kLeastInside * outside + kLeastOutside * inside + raised <= kMaxAdded;
}

// Copies factors from [head][child] to spans.
void spread_factors(TreeSums& sums) {
  double* right = sums.right_factor.data() + SpanTable::kMargin;
  double* left = sums.left_factor.data() + SpanTable::kMargin;
  const double* scale = sums.scale.data() + sums.first;
  for (std::size_t head = 0; head < sums.positions; ++head) {
    const double* row = sums.factors.row(sums.first + head) + sums.first;
    for (std::size_t child = 0; child < head; ++child) {
      left[(head - child) * sums.stride + child] = scale[child] * row[child];
    }
    if (sums.first == 0) left[head * sums.stride] = 0.0;  // into the root
    for (std::size_t child = head + 1; child < sums.positions; ++child) {
      right[(child - head) * sums.stride + head] = scale[child] * row[child];
    }
  }
  if (sums.first == 0) return;
  for (std::size_t p = 0; p < sums.positions; ++p) sums.root[p] = scale[p] * sums.factors.row(0)[p + 1];
}

// Copies them back; by now they are probabilities.
void collect_marginals(const ArcScores& s, TreeSums& sums, double z, float* marginals) {
  const double* right = sums.right_factor.data() + SpanTable::kMargin;
  const double* left = sums.left_factor.data() + SpanTable::kMargin;
  std::fill_n(marginals, (s.words + 1) * s.stride, 0.0f);
  for (std::size_t head = 0; head < sums.positions; ++head) {
    float* row = marginals + (sums.first + head) * s.stride + sums.first;
    for (std::size_t child = 0; child < head; ++child) {
      row[child] = static_cast<float>(left[(head - child) * sums.stride + child]);
    }
    for (std::size_t child = head + 1; child < sums.positions; ++child) {
      row[child] = static_cast<float>(right[(child - head) * sums.stride + head]);
    }
  }
  if (sums.first == 0) return;
  const double* root = sums.root.data();
  const Table right_spans(sums.right);
  const Table left_spans(sums.left);
  const std::size_t last = sums.positions - 1;
  for (std::size_t p = 0; p <= last; ++p) {
    const double mass =
        root[p] * left_spans.by_start[p * sums.stride] * right_spans.by_start[(last - p) * sums.stride + p];
    const bool counts = root[p] >= kLeastFactor && mass > kLeastMarginal * z;
    marginals[p + 1] = counts ? static_cast<float>(mass / z) : 0.0f;
  }
}

// False if the sums are not accurate. log_z lacks what was taken out of the scores.
bool scaled_sums(const ArcScores& s, TreeSums& sums, float* marginals, double& log_z) {
  const double* root = s.single_root ? sums.root.data() : nullptr;
  spread_factors(sums);
  Passes passes(sums);
  passes.prepare();
  passes.inside();
  const double z = passes.total(root);
  passes.seed(root, z);
  passes.outside();
  if (!passes.is_accurate()) return false;
  collect_marginals(s, sums, z, marginals);
  log_z = std::log(z);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(scaled_sums);

constexpr double kLogOfLeastFactor = -667.0;  // e^-667 = 2e-290
constexpr double kGrowth = 6.75;

// Fills factors and their scale; returns what this takes out of the score of every tree.
double take_factors(const ArcScores& s, TreeSums& sums) {
  sums.factors.fill(s, /*first_head=*/0, kLogOfLeastFactor);
  sums.scale.assign(s.words + 1, 1.0);
  double taken = 0.0;
  double product = 1.0;  // of several divisors, to save logarithms
  for (std::size_t m = 1; m <= s.words; ++m) {
    const double divisor = std::min(sums.factors.sum(m), kGrowth);
    sums.scale[m] = 1.0 / divisor;
    taken += sums.factors.highest(m);
    product *= divisor;
    if (product < 1e200) continue;
    taken += std::log(product);
    product = 1.0;
  }
  return taken + std::log(product);
}

}  // namespace

void InsideOutside::prepare(const ArcScores& s) {
  sums_.first = s.single_root ? 1 : 0;
  sums_.positions = s.words + 1 - sums_.first;
  // An odd number of cache lines, so that rows do not all map to the same cache sets.
  sums_.stride = ((sums_.positions + 2 * SpanTable::kMargin + 7) / 8 | 1) * 8;
  sums_.root.resize(sums_.positions);
  marginals_.resize((s.words + 1) * s.stride);
  if (s.words == 0) std::fill(marginals_.begin(), marginals_.end(), 0.0f);
}

double InsideOutside::run(const ArcScores& s) {
  prepare(s);
  scaled_ = true;
  if (s.words == 0) return 0.0;
  const std::size_t size = sums_.positions * sums_.stride + SpanTable::kMargin;
  sums_.right_factor.reserve(size);
  sums_.left_factor.reserve(size);
  for (SpanTable* table : {&sums_.right, &sums_.left, &sums_.right_arc, &sums_.left_arc, &sums_.out_right,
                           &sums_.out_left, &sums_.out_arc}) {
    table->by_start.reserve(size);
    table->by_end.reserve(size);
  }
  const double taken = take_factors(s, sums_);
  double log_z = 0.0;
  scaled_ = HWY_DYNAMIC_DISPATCH(scaled_sums)(s, sums_, marginals_.data(), log_z);
  return scaled_ ? taken + log_z : run_in_logs(s);
}

}  // namespace hinge
#endif
