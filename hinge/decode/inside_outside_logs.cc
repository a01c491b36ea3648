// Inside-outside in log space, for sentences whose probabilities underflow.
//
// The inside pass keeps the highest term of each span's sum and that term's share of
// the sum. From these the outside pass finds how probable each way to build a span
// is, given the span: everything there is a probability, so nothing can overflow.
// Unlike in inside_outside.cc, all tables are by start only: exponentials take most
// of the time.
#include "hinge/core/interrupt.h"

#include <algorithm>
#include <cmath>

#include "hinge/decode/inside_outside.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/inside_outside_logs.cc"
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

// e^x for x <= 0; anything below e^-700 becomes about e^-700.
HWY_INLINE Vector exp_below(Vector x) {
  const Doubles d;
  return hn::Exp(d, hn::Min(hn::Max(x, hn::Set(d, -700.0)), hn::Zero(d)));
}

class LogPasses {
 public:
  LogPasses(const ArcScores& scores, TreeSums& sums, float* marginals)
      : s_(scores),
        marginals_(marginals),
        root_(sums.root.data()),
        first_(sums.first),
        positions_(sums.positions),
        stride_(sums.stride),
        right_arc_(sums.logs[0].data() + SpanTable::kMargin),
        left_arc_(sums.logs[1].data() + SpanTable::kMargin),
        arc_{nullptr, sums.highest[0].data() + SpanTable::kMargin, sums.share[0].data() + SpanTable::kMargin},
        right_{sums.logs[2].data() + SpanTable::kMargin, sums.highest[1].data() + SpanTable::kMargin,
               sums.share[1].data() + SpanTable::kMargin},
        left_{sums.logs[3].data() + SpanTable::kMargin, sums.highest[2].data() + SpanTable::kMargin,
              sums.share[2].data() + SpanTable::kMargin} {}

  HWY_INLINE double run();

 private:
  // [width][stride_]
  struct Spans {
    double* log;      // of the sum
    double* highest;  // term of the sum
    double* share;    // of that term in the sum; the outside pass multiplies it by the span's probability
  };

  HWY_INLINE void prepare();
  HWY_INLINE void inside(std::size_t width, std::size_t start);
  HWY_INLINE void outside(std::size_t width, std::size_t start);
  HWY_INLINE double finish_inside();
  HWY_INLINE Vector add_up(const double* a, const double* b, std::size_t splits, const Spans& spans,
                           std::size_t at) const;
  HWY_INLINE Vector as_part(const Spans& whole, std::size_t at, std::ptrdiff_t step, const double* other,
                            std::ptrdiff_t other_step, std::size_t count, Vector own) const;
  HWY_INLINE void read_marginals(std::size_t width, std::size_t start, Vector right, Vector left) const;
  HWY_INLINE Vector only_spans(std::size_t width, std::size_t start, Vector values) const {
    return hn::IfThenElseZero(hn::FirstN(Doubles(), positions_ - width - start), values);
  }
  static HWY_INLINE Vector in_lane(std::size_t lane, double value) {
    const Doubles d;
    const auto there = hn::Eq(hn::Iota(d, 0.0), hn::Set(d, static_cast<double>(lane)));
    return hn::IfThenElseZero(there, hn::Set(d, value));
  }
  // The probability that a span that ends at the last position (or starts at the
  // first) is the right (left) side of the whole tree.
  HWY_INLINE double right_of_root(std::size_t width) const {
    if (first_ == 1) return root_[positions_ - 1 - width];
    return width + 1 == positions_ ? 1.0 : 0.0;
  }
  HWY_INLINE double left_of_root(std::size_t width) const { return first_ == 1 ? root_[width] : 0.0; }

  ArcScores s_;
  float* marginals_;
  double* root_;  // [positions_]: probabilities of the arcs from a root that is not a position
  std::size_t first_;
  std::size_t positions_;
  std::size_t stride_;
  double* right_arc_;
  double* left_arc_;
  Spans arc_;  // everything under an arc; without log
  Spans right_;
  Spans left_;
};

// Zeroes the margins: vectors also read spans that would end after the last position
// or start before the first, and a share of zero makes these impossible.
HWY_INLINE void LogPasses::prepare() {
  for (double* table : {right_arc_, left_arc_, arc_.highest, arc_.share, right_.log, right_.highest,
                        right_.share, left_.log, left_.highest, left_.share}) {
    for (std::size_t width = 0; width < positions_; ++width) {
      double* row = table + width * stride_;
      std::fill_n(row - SpanTable::kMargin, SpanTable::kMargin, 0.0);
      std::fill_n(row + positions_ - width, SpanTable::kMargin, 0.0);
    }
  }
  std::fill_n(right_.log, positions_, 0.0);
  std::fill_n(left_.log, positions_, 0.0);
  for (std::size_t head = 0; head < positions_; ++head) {
    const float* row = s_.score + (first_ + head) * s_.stride + first_;
    for (std::size_t child = 0; child < head; ++child)
      left_arc_[(head - child) * stride_ + child] = row[child];
    for (std::size_t child = head + 1; child < positions_; ++child) {
      right_arc_[(child - head) * stride_ + head] = row[child];
    }
    // Arc into the root: no tree contains such a span.
    if (first_ == 0 && head > 0) left_arc_[head * stride_] = 0.0;
  }
}

// log sum_k exp(a[k] + b[-k]); stores the highest term and its share.
HWY_INLINE Vector LogPasses::add_up(const double* a, const double* b, std::size_t splits, const Spans& spans,
                                    std::size_t at) const {
  const Doubles d;
  const auto term = [&](std::size_t k) HWY_ATTR {
    return hn::Add(hn::LoadU(d, a + k * stride_), hn::LoadU(d, b - k * (stride_ - 1)));
  };
  Vector high = term(0);
  for (std::size_t k = 1; k < splits; ++k) high = hn::Max(high, term(k));
  Vector sum = hn::Zero(d);
  for (std::size_t k = 0; k < splits; ++k) sum = hn::Add(sum, exp_below(hn::Sub(term(k), high)));
  hn::StoreU(high, d, spans.highest + at);
  hn::StoreU(hn::Div(hn::Set(d, 1.0), sum), d, spans.share + at);
  return hn::Add(high, hn::Log(d, sum));
}

HWY_INLINE void LogPasses::inside(std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t at = width * stride_ + start;
  const auto store = [&](Vector values, double* to)
                         HWY_ATTR { hn::StoreU(only_spans(width, start, values), d, to + at); };
  const Vector under = add_up(right_.log + start, left_.log + at - stride_ + 1, width, arc_, at);
  store(hn::Add(under, hn::LoadU(d, right_arc_ + at)), right_arc_);
  store(hn::Add(under, hn::LoadU(d, left_arc_ + at)), left_arc_);
  store(add_up(right_arc_ + stride_ + start, right_.log + at - stride_ + 1, width, right_, at), right_.log);
  store(add_up(left_.log + start, left_arc_ + at, width, left_, at), left_.log);
  for (const Spans& spans : {arc_, right_, left_}) {
    store(hn::LoadU(d, spans.highest + at), spans.highest);
    store(hn::LoadU(d, spans.share + at), spans.share);
  }
}

// The probability of spans as parts of `count` longer ones; own: their log sums.
HWY_INLINE Vector LogPasses::as_part(const Spans& whole, std::size_t at, std::ptrdiff_t step,
                                     const double* other, std::ptrdiff_t other_step, std::size_t count,
                                     Vector own) const {
  const Doubles d;
  Vector sum = hn::Zero(d);
  const double* highest = whole.highest + at;
  const double* share = whole.share + at;
  for (; count > 0; --count) {
    // The same two numbers as in the inside pass, so the sum is the same to the last bit.
    const Vector term = hn::Add(own, hn::LoadU(d, other));
    sum = hn::MulAdd(hn::LoadU(d, share), exp_below(hn::Sub(term, hn::LoadU(d, highest))), sum);
    highest += step;
    share += step;
    other += other_step;
  }
  return sum;
}

// Multiplies the probabilities of these spans into their shares; writes the marginals of arcs.
HWY_INLINE void LogPasses::outside(std::size_t width, std::size_t start) {
  const Doubles d;
  const std::size_t at = width * stride_ + start;
  const std::size_t above = at + stride_;
  const std::ptrdiff_t down = static_cast<std::ptrdiff_t>(stride_);
  const std::ptrdiff_t down_left = down - 1;
  const std::size_t same_start = positions_ - 1 - start - width;
  const std::size_t same_end = std::min(start + hn::Lanes(d), positions_ - width) - 1;
  const auto multiply_share = [&](const Spans& spans, Vector probability) HWY_ATTR {
    const Vector product = hn::Mul(hn::LoadU(d, spans.share + at), only_spans(width, start, probability));
    hn::StoreU(product, d, spans.share + at);
  };

  const Vector right_log = hn::LoadU(d, right_.log + at);
  const Vector right =
      hn::Add(as_part(arc_, above, down, left_.log + start + width + 1, down, same_start, right_log),
              as_part(right_, above - 1, down_left, right_arc_ + stride_ + start - 1, down_left, same_end,
                      right_log));
  const Vector left_log = hn::LoadU(d, left_.log + at);
  const Vector left =
      hn::Add(as_part(left_, above, down, left_arc_ + stride_ + start + width, down, same_start, left_log),
              as_part(arc_, above - 1, down_left, right_.log + start - 1, down_left, same_end, left_log));
  multiply_share(right_, hn::Add(right, in_lane(positions_ - 1 - width - start, right_of_root(width))));
  multiply_share(left_, hn::Add(left, in_lane(0, start == 0 ? left_of_root(width) : 0.0)));

  const Vector right_arc = as_part(right_, at, down, right_.log + start + width, down, same_start + 1,
                                   hn::LoadU(d, right_arc_ + at));
  const Vector left_arc =
      as_part(left_, at, down_left, left_.log + start, down_left, same_end + 1, hn::LoadU(d, left_arc_ + at));
  multiply_share(arc_, hn::Add(right_arc, left_arc));
  read_marginals(width, start, right_arc, left_arc);
}

HWY_INLINE void LogPasses::read_marginals(std::size_t width, std::size_t start, Vector right,
                                          Vector left) const {
  double rightward[8] = {};
  double leftward[8] = {};
  hn::StoreU(right, Doubles(), rightward);
  hn::StoreU(left, Doubles(), leftward);
  const std::size_t end = std::min(start + hn::Lanes(Doubles()), positions_ - width);
  for (std::size_t p = start; p < end; ++p) {
    const std::size_t word = first_ + p;
    marginals_[word * s_.stride + word + width] = static_cast<float>(rightward[p - start]);
    if (word > 0) marginals_[(word + width) * s_.stride + word] = static_cast<float>(leftward[p - start]);
  }
}

// The log of the total and, if the root is not a position, the probabilities of its arcs.
HWY_INLINE double LogPasses::finish_inside() {
  const std::size_t last = positions_ - 1;
  if (first_ == 0) return right_.log[last * stride_];
  for (std::size_t p = 0; p <= last; ++p) {
    root_[p] = s_(0, p + 1) + left_.log[p * stride_] + right_.log[(last - p) * stride_ + p];
  }
  const double high = *std::max_element(root_, root_ + positions_);
  double sum = 0.0;
  for (std::size_t p = 0; p <= last; ++p) sum += std::exp(root_[p] - high);
  for (std::size_t p = 0; p <= last; ++p) {
    root_[p] = std::exp(root_[p] - high) / sum;
    marginals_[p + 1] = static_cast<float>(root_[p]);
  }
  return high + std::log(sum);
}

HWY_INLINE double LogPasses::run() {
  const std::size_t lanes = hn::Lanes(Doubles());
  std::fill_n(marginals_, (s_.words + 1) * s_.stride, 0.0f);
  prepare();
  for (std::size_t width = 1; width < positions_; ++width) {
    check_interrupt();
    for (std::size_t start = 0; start + width < positions_; start += lanes) inside(width, start);
  }
  const double log_z = finish_inside();
  for (std::size_t width = positions_ - 1; width > 0; --width) {
    check_interrupt();
    for (std::size_t start = 0; start + width < positions_; start += lanes) outside(width, start);
  }
  return log_z;
}

double log_sums(const ArcScores& scores, TreeSums& sums, float* marginals) {
  return LogPasses(scores, sums, marginals).run();
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(log_sums);

}  // namespace

double InsideOutside::run_in_logs(const ArcScores& s) {
  scaled_ = false;
  prepare(s);
  if (s.words == 0) return 0.0;
  const std::size_t size = sums_.positions * sums_.stride + SpanTable::kMargin;
  for (AlignedRows<double>& table : sums_.logs) table.reserve(size);
  for (AlignedRows<double>& table : sums_.highest) table.reserve(size);
  for (AlignedRows<double>& table : sums_.share) table.reserve(size);
  return HWY_DYNAMIC_DISPATCH(log_sums)(s, sums_, marginals_.data());
}

}  // namespace hinge
#endif
