#include "hinge/learn/steps/decay.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/learn/steps/decay.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;

struct PowerDecay {  // L2
  template <class V>
  V operator()(Floats d, V w, V root, V steps, float rate) const {
    const V ratio = hn::Div(hn::Set(d, rate), root);
    return hn::Mul(w, exp_minus(d, hn::Mul(steps, log_1_plus(d, ratio))));
  }

  // Once a weight has moved, ratio and the exponent are far below one: there a
  // few terms of the series are as exact as a float can be, and much cheaper.
  template <class V>
  V log_1_plus(Floats d, V x) const {
    if (!hn::AllTrue(d, hn::Lt(x, hn::Set(d, 1.0f / 128)))) return hn::Log1p(d, x);
    const V tail = hn::NegMulAdd(x, hn::Set(d, 0.25f), hn::Set(d, 1.0f / 3));
    return hn::Mul(x, hn::MulAdd(x, hn::MulAdd(x, tail, hn::Set(d, -0.5f)), hn::Set(d, 1.0f)));
  }
  template <class V>
  V exp_minus(Floats d, V x) const {
    if (!hn::AllTrue(d, hn::Lt(x, hn::Set(d, 1.0f / 8)))) return hn::Exp(d, hn::Neg(x));
    V sum = hn::NegMulAdd(x, hn::Set(d, 1.0f / 120), hn::Set(d, 1.0f / 24));
    sum = hn::NegMulAdd(x, sum, hn::Set(d, 1.0f / 6));
    sum = hn::NegMulAdd(x, sum, hn::Set(d, 0.5f));
    sum = hn::NegMulAdd(x, sum, hn::Set(d, 1.0f));
    return hn::NegMulAdd(x, sum, hn::Set(d, 1.0f));
  }
};

struct LinearDecay {  // L1
  template <class V>
  V operator()(Floats d, V w, V root, V steps, float rate) const {
    const V loss = hn::Mul(steps, hn::Div(hn::Set(d, rate), root));
    return hn::CopySign(hn::Max(hn::Zero(d), hn::Sub(hn::Abs(w), loss)), w);
  }
};

template <class Decay>
void decay(float* w, const float* root, std::uint32_t* last, std::size_t n, std::uint32_t now, float rate) {
  const Floats d;
  const hn::RebindToUnsigned<Floats> du;
  const hn::RebindToSigned<Floats> di;
  const auto time = hn::Set(du, now);
  for (std::size_t k = 0; k < n; k += hn::Lanes(d)) {
    const auto value = hn::LoadU(d, w + k);
    const auto is_zero = hn::Eq(value, hn::Zero(d));
    if (hn::AllTrue(d, is_zero)) continue;
    const auto since = hn::LoadU(du, last + k);
    if (hn::AllTrue(du, hn::Eq(since, time))) continue;
    hn::StoreU(time, du, last + k);
    // Neither `last` nor the root of a zero weight matters: they must not choose
    // the path of its neighbours, whose last bits depend on it.
    const auto steps = hn::IfThenZeroElse(is_zero, hn::ConvertTo(d, hn::BitCast(di, hn::Sub(time, since))));
    const auto scale =
        hn::IfThenElse(is_zero, hn::Set(d, 1.0f), hn::Max(hn::LoadU(d, root + k), hn::Set(d, kInitialRoot)));
    const auto decayed = Decay()(d, value, scale, steps, rate);
    // A weight that is up to date stays as it is, to the last bit.
    hn::StoreU(hn::IfThenElse(hn::Gt(steps, hn::Zero(d)), decayed, value), d, w + k);
  }
}

void decay_l2(float* w, const float* root, std::uint32_t* last, std::size_t n, std::uint32_t now,
              float rate) {
  decay<PowerDecay>(w, root, last, n, now, rate);
}
void decay_l1(float* w, const float* root, std::uint32_t* last, std::size_t n, std::uint32_t now,
              float rate) {
  decay<LinearDecay>(w, root, last, n, now, rate);
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {

HWY_EXPORT(decay_l2);
HWY_EXPORT(decay_l1);

void decay_l2(float* w, const float* root, std::uint32_t* last, std::size_t n, std::uint32_t now,
              float rate) {
  HWY_DYNAMIC_DISPATCH(decay_l2)(w, root, last, n, now, rate);
}
void decay_l1(float* w, const float* root, std::uint32_t* last, std::size_t n, std::uint32_t now,
              float rate) {
  HWY_DYNAMIC_DISPATCH(decay_l1)(w, root, last, n, now, rate);
}

}  // namespace hinge
#endif
