#include "hinge/learn/steps/adagrad_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/learn/steps/adagrad_kernels.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, kLine>;
using V = hn::Vec<Floats>;

constexpr std::uint32_t kNever = 0xFFFFFFFF;

// Up to here a few terms of the series reach float precision. As ratios are at most
// rate / kInitialRoot, one test that always ends the same way serves all lines.
constexpr float kShortSeries = 1.0f / 24;

HWY_INLINE V log_1_plus(Floats d, V x, float most) {
  if (most > kShortSeries) return hn::Log1p(d, x);
  V sum = hn::NegMulAdd(x, hn::Set(d, 1.0f / 6), hn::Set(d, 1.0f / 5));
  sum = hn::NegMulAdd(x, sum, hn::Set(d, 1.0f / 4));
  sum = hn::NegMulAdd(x, sum, hn::Set(d, 1.0f / 3));
  sum = hn::NegMulAdd(x, sum, hn::Set(d, 1.0f / 2));
  sum = hn::NegMulAdd(x, sum, hn::Set(d, 1.0f));
  return hn::Mul(x, sum);
}

HWY_INLINE V shrunk(Floats d, V w, V by) {
  return hn::CopySign(hn::Max(hn::Zero(d), hn::Sub(hn::Abs(w), by)), w);
}

// The most that one step of the regularizer changes a weight. A weight within the
// tolerance can never lose more than that.
template <bool kL1>
HWY_INLINE V speed_of(Floats d, V w, V ratio, float tolerance) {
  const V speed = kL1 ? ratio : hn::Mul(hn::Abs(w), ratio);
  return hn::IfThenElseZero(hn::Gt(hn::Abs(w), hn::Set(d, tolerance)), speed);
}

// The first step at which more than the tolerance is owed.
HWY_INLINE std::uint32_t due_after(std::uint32_t at, V speed, float tolerance) {
  const float most = hn::GetLane(hn::MaxOfLanes(Floats(), speed));
  if (!(most > 0.0f)) return kNever;
  const auto steps = static_cast<std::uint64_t>(std::min(tolerance / most, 1e9f));
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(at + steps + 1, kNever));
}

// The sum of a weight over `t` steps of the regularizer, each by `ratio`, from `before` to `after`.
//   L2: w q + ... + w q^t = (w - w q^t) / r with q = 1 / (1 + r); `x` = -log q^t. For small x the
//       difference is inexact, and a few terms of w (x / r) (1 - x / 2 + x^2 / 6 ...) are not.
//   L1: w - r, w - 2 r, ... while positive.
template <bool kL1>
HWY_INLINE V sum_of_steps(Floats d, V before, V after, V ratio, V t, V x) {
  if constexpr (kL1) {
    const V step = hn::Max(ratio, hn::Set(d, 1e-30f));  // it may be zero
    const V moving = hn::Min(t, hn::Floor(hn::Div(hn::Abs(before), step)));
    const V lost =
        hn::Mul(hn::Mul(ratio, hn::Set(d, 0.5f)), hn::Mul(moving, hn::Add(moving, hn::Set(d, 1.0f))));
    return hn::CopySign(hn::Sub(hn::Mul(moving, hn::Abs(before)), lost), before);
  } else {
    constexpr float kSmall = 0.05f;
    V series = hn::NegMulAdd(x, hn::Set(d, 1.0f / 24), hn::Set(d, 1.0f / 6));
    series = hn::NegMulAdd(x, series, hn::Set(d, 1.0f / 2));
    series = hn::NegMulAdd(x, series, hn::Set(d, 1.0f));
    // x / r, which is t for tiny r; r may be zero.
    const V per_rate = hn::IfThenElse(hn::Lt(ratio, hn::Set(d, 1e-6f)), t, hn::Div(x, ratio));
    const V small = hn::Mul(hn::Mul(before, per_rate), series);
    return hn::IfThenElse(hn::Lt(x, hn::Set(d, kSmall)), small, hn::Div(hn::Sub(before, after), ratio));
  }
}

// The largest of the speeds after that.
template <bool kL1, bool kSum>
HWY_INLINE V decay_line(float* w, const float* root, float* sum, float steps, const AdaGradRates& rates) {
  const Floats d;
  V fastest = hn::Zero(d);
  for (std::size_t k = 0; k < kLine; k += hn::Lanes(d)) {
    const V value = hn::LoadU(d, w + k);
    const V ratio =
        hn::Div(hn::Set(d, rates.rate), hn::Max(hn::LoadU(d, root + k), hn::Set(d, kInitialRoot)));
    const V t = hn::Set(d, steps);
    const V x = kL1 ? hn::Mul(t, ratio) : hn::Mul(t, log_1_plus(d, ratio, rates.rate / kInitialRoot));
    const V next = kL1 ? shrunk(d, value, x) : hn::Mul(value, hn::Exp(d, hn::Neg(x)));
    hn::StoreU(next, d, w + k);
    if constexpr (kSum)
      hn::StoreU(hn::Add(hn::LoadU(d, sum + k), sum_of_steps<kL1>(d, value, next, ratio, t, x)), d, sum + k);
    fastest = hn::Max(fastest, speed_of<kL1>(d, next, ratio, rates.tolerance));
  }
  return fastest;
}

// Lines that are due, found first and without a branch: whether a line was met
// before in the same example cannot be predicted.
struct Stale {
  static constexpr std::size_t kMost = 256;
  std::uint32_t line[kMost + 1];
  std::size_t n = 0;
};

template <bool kL1, bool kSum>
HWY_INLINE void decay_all(const Stale& stale, std::uint32_t now, const AdaGradRates& rates,
                          const AdaGradArrays& arrays) {
  // Lines are far apart in memory: prefetch the next ones.
  constexpr std::size_t kAhead = 20;
  const auto fetch = [&](std::size_t k) {
    if (k >= stale.n) return;
    __builtin_prefetch(arrays.at + stale.line[k], 1);
    __builtin_prefetch(arrays.w + std::size_t{stale.line[k]} * kLine, 1);
    __builtin_prefetch(arrays.root + std::size_t{stale.line[k]} * kLine);
    if constexpr (kSum) __builtin_prefetch(arrays.sum + std::size_t{stale.line[k]} * kLine, 1);
  };
  for (std::size_t k = 0; k < kAhead; ++k) fetch(k);
  for (std::size_t k = 0; k < stale.n; ++k) {
    fetch(k + kAhead);
    const std::uint32_t line = stale.line[k];
    const std::size_t first = std::size_t{line} * kLine;
    const auto steps = static_cast<float>(now - arrays.at[line]);
    const V fastest = decay_line<kL1, kSum>(arrays.w + first, arrays.root + first,
                                            kSum ? arrays.sum + first : nullptr, steps, rates);
    arrays.at[line] = now;
    arrays.due[line] = due_after(now, fastest, rates.tolerance);
  }
}

template <bool kL1, bool kSum>
void catch_up(const Block* blocks, std::size_t n, std::uint32_t now, const AdaGradRates& rates,
              const AdaGradArrays& arrays) {
  constexpr std::size_t kAhead = 32;
  std::uint32_t* due = arrays.due;
  Stale stale;
  for (std::size_t b = 0; b < n; ++b) {
    if (b + kAhead < n) __builtin_prefetch(due + blocks[b + kAhead].first / kLine, 1);
    const std::size_t end = (std::size_t{blocks[b].first} + blocks[b].count + kLine - 1) / kLine;
    for (std::size_t line = blocks[b].first / kLine; line < end; ++line) {
      const std::uint32_t stamp = due[line];
      const bool is_due = stamp <= now;
      stale.line[stale.n] = static_cast<std::uint32_t>(line);
      stale.n += is_due;
      due[line] = is_due ? kNever : stamp;  // so that it is listed once
      if (stale.n < Stale::kMost) continue;
      decay_all<kL1, kSum>(stale, now, rates, arrays);
      stale.n = 0;
    }
  }
  decay_all<kL1, kSum>(stale, now, rates, arrays);
}

void catch_up_any(const Block* blocks, std::size_t n, std::uint32_t now, const AdaGradRates& rates,
                  const AdaGradArrays& arrays) {
  const bool sum = arrays.sum != nullptr;
  (rates.l1 ? sum ? catch_up<true, true> : catch_up<true, false>
   : sum ? catch_up<false, true>
            : catch_up<false, false>)(blocks, n, now, rates, arrays);
}

// The largest of the speeds after that.
template <bool kL1>
HWY_INLINE V step_line(float* w, float* root, const float* gradient, const AdaGradRates& rates) {
  const Floats d;
  V fastest = hn::Zero(d);
  for (std::size_t k = 0; k < kLine; k += hn::Lanes(d)) {
    const V g = hn::LoadU(d, gradient + k);
    const V value = hn::LoadU(d, w + k);
    const auto moves = hn::Ne(g, hn::Zero(d));
    const V before = hn::LoadU(d, root + k);
    const V start = hn::Max(before, hn::Set(d, kInitialRoot));
    const V r = hn::IfThenElse(moves, hn::Sqrt(hn::MulAdd(g, g, hn::Mul(start, start))), start);
    const V eta = hn::Set(d, rates.eta);
    const V rate = hn::Set(d, rates.rate);
    const V inverse = hn::Div(hn::Set(d, 1.0f), r);
    V next;
    if constexpr (kL1) {
      next = shrunk(d, hn::NegMulAdd(hn::Mul(eta, g), inverse, value), hn::Mul(rate, inverse));
    } else {
      next = hn::Div(hn::NegMulAdd(eta, g, hn::Mul(value, r)), hn::Add(rate, r));
    }
    hn::StoreU(next, d, w + k);
    hn::StoreU(hn::IfThenElse(moves, r, before), d, root + k);
    fastest = hn::Max(fastest, speed_of<kL1>(d, next, hn::Mul(rate, inverse), rates.tolerance));
  }
  return fastest;
}

template <bool kL1, bool kSum>
void step(const std::uint32_t* lines, std::size_t n, std::uint32_t now, const float* gradient,
          const AdaGradRates& rates, const AdaGradArrays& arrays) {
  constexpr std::size_t kAhead = 8;
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n) {
      const std::size_t ahead = lines[k + kAhead] * kLine;
      __builtin_prefetch(arrays.w + ahead, 1);
      __builtin_prefetch(arrays.root + ahead, 1);
      if constexpr (kSum) __builtin_prefetch(arrays.sum + ahead, 1);
    }
    const std::uint32_t line = lines[k];
    const std::size_t first = std::size_t{line} * kLine;
    float* w = arrays.w + first;
    float* root = arrays.root + first;
    if (arrays.at[line] + 1 != now)
      decay_line<kL1, kSum>(w, root, kSum ? arrays.sum + first : nullptr,
                            static_cast<float>(now - 1 - arrays.at[line]), rates);
    const V fastest = step_line<kL1>(w, root, gradient + k * kLine, rates);
    if constexpr (kSum) {
      for (std::size_t c = 0; c < kLine; ++c) arrays.sum[first + c] += w[c];
    }
    arrays.at[line] = now;
    arrays.due[line] = due_after(now, fastest, rates.tolerance);
  }
}

void step_any(const std::uint32_t* lines, std::size_t n, std::uint32_t now, const float* gradient,
              const AdaGradRates& rates, const AdaGradArrays& arrays) {
  const bool sum = arrays.sum != nullptr;
  (rates.l1 ? sum ? step<true, true> : step<true, false>
   : sum ? step<false, true>
            : step<false, false>)(lines, n, now, gradient, rates, arrays);
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {

HWY_EXPORT(catch_up_any);
HWY_EXPORT(step_any);

void catch_up_lines(std::span<const Block> blocks, std::uint32_t now, const AdaGradRates& rates,
                    const AdaGradArrays& arrays) {
  HWY_DYNAMIC_DISPATCH(catch_up_any)(blocks.data(), blocks.size(), now, rates, arrays);
}

void step_lines(std::span<const std::uint32_t> lines, std::uint32_t now, const float* gradient,
                const AdaGradRates& rates, const AdaGradArrays& arrays) {
  HWY_DYNAMIC_DISPATCH(step_any)(lines.data(), lines.size(), now, gradient, rates, arrays);
}

}  // namespace hinge
#endif
