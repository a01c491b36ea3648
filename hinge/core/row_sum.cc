#include "hinge/core/row_sum.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/core/row_sum.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// w[0 .. n) += scale * values[0 .. n), and nothing beyond: the neighbours may
// belong to another thread.
void add_row(float scale, const float* values, std::size_t n, float* w) {
  const hn::CappedTag<float, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto factor = hn::Set(d, scale);
  std::size_t k = 0;
  for (; k + lanes <= n; k += lanes) {
    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, values + k), hn::LoadU(d, w + k)), d, w + k);
  }
  if (k == n) return;
  const auto mask = hn::FirstN(d, n - k);
  const auto sum = hn::MulAdd(factor, hn::MaskedLoad(mask, d, values + k), hn::MaskedLoad(mask, d, w + k));
  hn::BlendedStore(sum, mask, d, w + k);
}

// Up to kStretch rows of a group, those of one part.
constexpr std::size_t kStretch = 64;
struct Chosen {
  const RowSum::Group* group;
  std::uint32_t begin;
  std::uint32_t found;
  std::uint8_t which[kStretch + 1];  // from begin
};

// All rows of one place in the weights are one part's, so that each sum is
// added up by one thread, in order. Rows lie far apart: they are fetched here,
// and added while the next ones are on their way.
HWY_INLINE void choose(const RowSum::Group& group, std::size_t begin, std::uint32_t part, std::uint32_t parts,
                       const float* w, Chosen& chosen) {
  const std::size_t length = std::min<std::size_t>(kStretch, group.n - begin);
  chosen.group = &group;
  chosen.begin = static_cast<std::uint32_t>(begin);
  std::uint32_t found = 0;
  for (std::size_t k = 0; k < length; ++k) {
    chosen.which[found] = static_cast<std::uint8_t>(k);
    found += part_of(group.ids[begin + k] * group.width, parts) == part;
  }
  chosen.found = found;
  for (std::size_t c = 0; c < found; ++c) {
    const float* row = w + group.ids[begin + chosen.which[c]] * group.width;
    __builtin_prefetch(row, 1);
    __builtin_prefetch(row + group.count - 1, 1);
  }
}

HWY_INLINE void add_chosen(const Chosen& chosen, const float* values, float scale, float* w) {
  if (chosen.found == 0) return;
  const RowSum::Group& group = *chosen.group;
  for (std::size_t c = 0; c < chosen.found; ++c) {
    const std::size_t k = chosen.begin + chosen.which[c];
    add_row(group.scales == nullptr ? scale : scale * group.scales[k], values + group.values_begin,
            group.count, w + group.ids[k] * group.width);
  }
}

void add_groups(const RowSum::Group* groups, std::size_t n, const float* values, float scale,
                std::uint32_t part, std::uint32_t parts, float* w) {
  Chosen chosen[2];
  chosen[1].found = 0;
  std::size_t turn = 0;
  for (std::size_t g = 0; g < n; ++g) {
    for (std::size_t begin = 0; begin < groups[g].n; begin += kStretch) {
      choose(groups[g], begin, part, parts, w, chosen[turn]);
      turn ^= 1;
      add_chosen(chosen[turn], values, scale, w);
    }
  }
  add_chosen(chosen[turn ^ 1], values, scale, w);
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(add_groups);

}  // namespace

void RowSum::clear() {
  groups_.clear();
  own_ids_.clear();
  own_scales_.clear();
  values_.clear();
  singles_.clear();
}

std::span<float> RowSum::values(std::size_t count) {
  count_ = static_cast<std::uint32_t>(count);
  values_begin_ = static_cast<std::uint32_t>(values_.size());
  values_.resize(values_.size() + count, 0.0f);
  return std::span(values_).last(count);
}

void RowSum::add_row(FeatureId first, float scale) {
  const bool joins = !groups_.empty() && groups_.back().ids == nullptr &&
                     groups_.back().values_begin == values_begin_ && groups_.back().count == count_;
  if (!joins) {
    groups_.push_back({.ids = nullptr,
                       .scales = nullptr,
                       .n = 0,
                       .width = 1,
                       .own_begin = static_cast<std::uint32_t>(own_ids_.size()),
                       .count = count_,
                       .values_begin = values_begin_});
  }
  own_ids_.push_back(first);
  own_scales_.push_back(scale);
  ++groups_.back().n;
}

void RowSum::add_rows(std::span<const std::uint32_t> ids, FeatureId width, const float* scales) {
  if (ids.empty()) return;
  groups_.push_back({.ids = ids.data(),
                     .scales = scales,
                     .n = static_cast<std::uint32_t>(ids.size()),
                     .width = width,
                     .own_begin = 0,
                     .count = count_,
                     .values_begin = values_begin_});
}

void RowSum::add_part(double scale, std::size_t part, std::size_t parts, Weights& w) const {
  const auto factor = static_cast<float>(scale);
  const auto mine = static_cast<std::uint32_t>(part);
  const auto all = static_cast<std::uint32_t>(parts);
  for (std::size_t g = 0; g < groups_.size();) {
    std::size_t end = g;
    while (end < groups_.size() && groups_[end].ids != nullptr) ++end;
    HWY_DYNAMIC_DISPATCH(add_groups)
    (groups_.data() + g, end - g, values_.data(), factor, mine, all, w.data());
    if (end == groups_.size()) break;
    Group own = groups_[end];
    own.ids = own_ids_.data() + own.own_begin;
    own.scales = own_scales_.data() + own.own_begin;
    HWY_DYNAMIC_DISPATCH(add_groups)(&own, 1, values_.data(), factor, mine, all, w.data());
    g = end + 1;
  }
  for (const Entry& entry : singles_.entries()) {
    if (part_of(entry.id, all) == mine) w[entry.id] += factor * entry.value;
  }
}

}  // namespace hinge
#endif
