// Shared by the kernels of arcs.cc and second.cc; compiled with them once per
// instruction set.
#include "hinge/tasks/dep/arcs_kernel.h"

#if defined(HINGE_TASKS_DEP_GATHER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HINGE_TASKS_DEP_GATHER_INL_H_
#undef HINGE_TASKS_DEP_GATHER_INL_H_
#else
#define HINGE_TASKS_DEP_GATHER_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge::dep {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using KeyLanes = hn::CappedTag<std::uint32_t, kKeyPadding>;
using WeightLanes = hn::RebindToFloat<KeyLanes>;

HWY_INLINE hn::Vec<WeightLanes> gather(const float* w, hn::Vec<KeyLanes> index) {
  return hn::GatherIndex(WeightLanes(), w, hn::BitCast(hn::RebindToSigned<KeyLanes>(), index));
}

// Each feature's weights in its two slots, added; `shift` is for 32-bit keys.
HWY_INLINE hn::Vec<WeightLanes> gather_both(const float* w, hn::Vec<KeyLanes> keys, int shift, Slots slots) {
  const KeyLanes d;
  const auto base = hn::ShiftRightSame(keys, shift);
  return hn::Add(gather(w, hn::Xor(base, hn::Set(d, slots.direction))),
                 gather(w, hn::Xor(base, hn::Set(d, slots.distance))));
}

HWY_INLINE float sum_of(hn::Vec<WeightLanes> values) {
  return hn::GetLane(hn::SumOfLanes(WeightLanes(), values));
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge::dep
HWY_AFTER_NAMESPACE();

#endif
