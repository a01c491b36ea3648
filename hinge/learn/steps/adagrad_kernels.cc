#include "hinge/learn/steps/adagrad_kernels.h"

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

// Once a weight has moved, ratio and exponent are far below 1, where a few terms of
// the series reach float precision and are much cheaper.
HWY_INLINE V log_1_plus(Floats d, V x) {
  if (!hn::AllTrue(d, hn::Lt(x, hn::Set(d, 1.0f / 128)))) return hn::Log1p(d, x);
  const V tail = hn::NegMulAdd(x, hn::Set(d, 0.25f), hn::Set(d, 1.0f / 3));
  return hn::Mul(x, hn::MulAdd(x, hn::MulAdd(x, tail, hn::Set(d, -0.5f)), hn::Set(d, 1.0f)));
}

HWY_INLINE V exp_minus(Floats d, V x) {
  if (!hn::AllTrue(d, hn::Lt(x, hn::Set(d, 1.0f / 8)))) return hn::Exp(d, hn::Neg(x));
  V sum = hn::NegMulAdd(x, hn::Set(d, 1.0f / 120), hn::Set(d, 1.0f / 24));
  sum = hn::NegMulAdd(x, sum, hn::Set(d, 1.0f / 6));
  sum = hn::NegMulAdd(x, sum, hn::Set(d, 0.5f));
  sum = hn::NegMulAdd(x, sum, hn::Set(d, 1.0f));
  return hn::NegMulAdd(x, sum, hn::Set(d, 1.0f));
}

HWY_INLINE V shrunk(Floats d, V w, V by) {
  return hn::CopySign(hn::Max(hn::Zero(d), hn::Sub(hn::Abs(w), by)), w);
}

template <bool kL1>
HWY_INLINE void decay_line(float* w, const float* root, float steps, float rate) {
  const Floats d;
  for (std::size_t k = 0; k < kLine; k += hn::Lanes(d)) {
    const V value = hn::LoadU(d, w + k);
    const auto is_zero = hn::Eq(value, hn::Zero(d));
    if (hn::AllTrue(d, is_zero)) continue;
    // A zero weight's root does not matter and must not select the code path of its
    // neighbours, whose last bits depend on it.
    const V scale =
        hn::IfThenElse(is_zero, hn::Set(d, 1.0f), hn::Max(hn::LoadU(d, root + k), hn::Set(d, kInitialRoot)));
    const V ratio = hn::Div(hn::Set(d, rate), scale);
    const V t = hn::Set(d, steps);
    if constexpr (kL1) {
      hn::StoreU(shrunk(d, value, hn::Mul(t, ratio)), d, w + k);
    } else {
      hn::StoreU(hn::Mul(value, exp_minus(d, hn::Mul(t, log_1_plus(d, ratio)))), d, w + k);
    }
  }
}

// Outdated lines, collected first and without a branch: whether a line already
// occurred in the same example cannot be predicted.
struct Stale {
  static constexpr std::size_t kMost = 256;
  std::uint32_t line[kMost + 1];
  std::uint32_t at[kMost + 1];
  std::size_t n = 0;
};

template <bool kL1>
HWY_INLINE void decay_all(const Stale& stale, std::uint32_t now, float rate, float* w, const float* root) {
  // Lines are far apart in memory: prefetch the next ones.
  constexpr std::size_t kAhead = 10;
  const auto fetch = [&](std::size_t k) {
    if (k >= stale.n) return;
    __builtin_prefetch(w + std::size_t{stale.line[k]} * kLine, 1);
    __builtin_prefetch(root + std::size_t{stale.line[k]} * kLine);
  };
  for (std::size_t k = 0; k < kAhead; ++k) fetch(k);
  for (std::size_t k = 0; k < stale.n; ++k) {
    fetch(k + kAhead);
    const std::size_t first = std::size_t{stale.line[k]} * kLine;
    decay_line<kL1>(w + first, root + first, static_cast<float>(now - stale.at[k]), rate);
  }
}

template <bool kL1>
void catch_up(const Block* blocks, std::size_t n, std::uint32_t now, float rate, float* w, const float* root,
              std::uint32_t* at) {
  constexpr std::size_t kAhead = 32;
  Stale stale;
  for (std::size_t b = 0; b < n; ++b) {
    if (b + kAhead < n) __builtin_prefetch(at + blocks[b + kAhead].first / kLine, 1);
    const std::size_t end = (std::size_t{blocks[b].first} + blocks[b].count + kLine - 1) / kLine;
    for (std::size_t line = blocks[b].first / kLine; line < end; ++line) {
      const std::uint32_t stamp = at[line];
      stale.line[stale.n] = static_cast<std::uint32_t>(line);
      stale.at[stale.n] = stamp;
      stale.n += stamp != now;
      at[line] = now;
      if (stale.n < Stale::kMost) continue;
      decay_all<kL1>(stale, now, rate, w, root);
      stale.n = 0;
    }
  }
  decay_all<kL1>(stale, now, rate, w, root);
}

void catch_up_l2(const Block* blocks, std::size_t n, std::uint32_t now, float rate, float* w,
                 const float* root, std::uint32_t* at) {
  catch_up<false>(blocks, n, now, rate, w, root, at);
}
void catch_up_l1(const Block* blocks, std::size_t n, std::uint32_t now, float rate, float* w,
                 const float* root, std::uint32_t* at) {
  catch_up<true>(blocks, n, now, rate, w, root, at);
}

template <bool kL1>
HWY_INLINE void step_line(float* w, float* root, const float* gradient, float eta, float rate) {
  const Floats d;
  for (std::size_t k = 0; k < kLine; k += hn::Lanes(d)) {
    const V g = hn::LoadU(d, gradient + k);
    const V value = hn::LoadU(d, w + k);
    const auto moves = hn::Ne(g, hn::Zero(d));
    const V before = hn::LoadU(d, root + k);
    const V start = hn::Max(before, hn::Set(d, kInitialRoot));
    const V r = hn::IfThenElse(moves, hn::Sqrt(hn::MulAdd(g, g, hn::Mul(start, start))), start);
    V next;
    if constexpr (kL1) {
      const V inverse = hn::Div(hn::Set(d, 1.0f), r);
      const V u = hn::NegMulAdd(hn::Mul(hn::Set(d, eta), g), inverse, value);
      next = shrunk(d, u, hn::Mul(hn::Set(d, rate), inverse));
    } else {
      next = hn::Div(hn::NegMulAdd(hn::Set(d, eta), g, hn::Mul(value, r)), hn::Add(hn::Set(d, rate), r));
    }
    hn::StoreU(next, d, w + k);
    hn::StoreU(hn::IfThenElse(moves, r, before), d, root + k);
  }
}

template <bool kL1>
void step(const std::uint32_t* lines, std::size_t n, const float* gradient, float eta, float rate, float* w,
          float* root) {
  constexpr std::size_t kAhead = 8;
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n) {
      const std::size_t ahead = lines[k + kAhead] * kLine;
      __builtin_prefetch(w + ahead, 1);
      __builtin_prefetch(root + ahead, 1);
    }
    const std::size_t first = std::size_t{lines[k]} * kLine;
    step_line<kL1>(w + first, root + first, gradient + first, eta, rate);
  }
}

void step_l2(const std::uint32_t* lines, std::size_t n, const float* gradient, float eta, float rate,
             float* w, float* root) {
  step<false>(lines, n, gradient, eta, rate, w, root);
}
void step_l1(const std::uint32_t* lines, std::size_t n, const float* gradient, float eta, float rate,
             float* w, float* root) {
  step<true>(lines, n, gradient, eta, rate, w, root);
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {

HWY_EXPORT(catch_up_l2);
HWY_EXPORT(catch_up_l1);
HWY_EXPORT(step_l2);
HWY_EXPORT(step_l1);

void catch_up_lines(std::span<const Block> blocks, std::uint32_t now, const AdaGradRates& rates,
                    const AdaGradArrays& arrays) {
  if (rates.l1) HWY_DYNAMIC_DISPATCH(catch_up_l1)
  (blocks.data(), blocks.size(), now, rates.rate, arrays.w, arrays.root, arrays.at);
  else HWY_DYNAMIC_DISPATCH(catch_up_l2)(blocks.data(), blocks.size(), now, rates.rate, arrays.w, arrays.root,
                                         arrays.at);
}

void step_lines(std::span<const std::uint32_t> lines, std::uint32_t now, const float* gradient,
                const AdaGradRates& rates, const AdaGradArrays& arrays) {
  if (rates.l1) HWY_DYNAMIC_DISPATCH(step_l1)
  (lines.data(), lines.size(), gradient, rates.eta, rates.rate, arrays.w, arrays.root);
  else HWY_DYNAMIC_DISPATCH(step_l2)(lines.data(), lines.size(), gradient, rates.eta, rates.rate, arrays.w,
                                     arrays.root);
  for (const std::uint32_t line : lines) arrays.at[line] = now;
}

}  // namespace hinge
#endif
