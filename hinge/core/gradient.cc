#include "hinge/core/gradient.h"

#include <algorithm>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/core/gradient.cc"
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

// The rows of one slice among up to kStretch rows of a group.
constexpr std::size_t kStretch = 64;
struct Chosen {
  const Gradient::Group* group;
  std::uint32_t begin;
  std::uint32_t found;
  std::uint8_t which[kStretch + 1];  // offsets from begin
};

// All rows at one position in the weights belong to one slice, so each sum is
// accumulated by one thread, in order. Rows are far apart in memory: they are
// prefetched here, and added while the next ones load.
HWY_INLINE void choose(const Gradient::Group& group, std::size_t begin, std::uint32_t slice,
                       std::uint32_t slices, const float* w, Chosen& chosen) {
  const std::size_t length = std::min<std::size_t>(kStretch, group.n - begin);
  chosen.group = &group;
  chosen.begin = static_cast<std::uint32_t>(begin);
  std::uint32_t found = 0;
  for (std::size_t k = 0; k < length; ++k) {
    chosen.which[found] = static_cast<std::uint8_t>(k);
    found += slice_of(group.ids[begin + k] * group.width, slices) == slice;
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
  const Gradient::Group& group = *chosen.group;
  for (std::size_t c = 0; c < chosen.found; ++c) {
    const std::size_t k = chosen.begin + chosen.which[c];
    add_row(group.scales == nullptr ? scale : scale * group.scales[k], values + group.values_begin,
            group.count, w + group.ids[k] * group.width);
  }
}

void add_groups(const Gradient::Group* groups, std::size_t n, const float* values, float scale,
                std::uint32_t slice, std::uint32_t slices, float* w) {
  Chosen chosen[2];
  chosen[1].found = 0;
  std::size_t turn = 0;
  for (std::size_t g = 0; g < n; ++g) {
    for (std::size_t begin = 0; begin < groups[g].n; begin += kStretch) {
      choose(groups[g], begin, slice, slices, w, chosen[turn]);
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

void Gradient::clear() {
  singles_.clear();
  groups_.clear();
  own_ids_.clear();
  own_scales_.clear();
  values_.clear();
  blocks_.clear();
  dense_.clear();
}

std::span<float> Gradient::values(std::size_t count) {
  count_ = static_cast<std::uint32_t>(count);
  values_begin_ = static_cast<std::uint32_t>(values_.size());
  values_.resize(values_.size() + count, 0.0f);
  return std::span(values_).last(count);
}

void Gradient::add_row(FeatureId first, float scale) {
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

void Gradient::add_rows(std::span<const std::uint32_t> ids, FeatureId width, const float* scales) {
  if (ids.empty()) return;
  groups_.push_back({.ids = ids.data(),
                     .scales = scales,
                     .n = static_cast<std::uint32_t>(ids.size()),
                     .width = width,
                     .own_begin = 0,
                     .count = count_,
                     .values_begin = values_begin_});
}

void Gradient::own_rows() {
  for (Group& group : groups_) {
    if (group.ids == nullptr) continue;
    group.own_begin = static_cast<std::uint32_t>(own_ids_.size());
    for (std::uint32_t k = 0; k < group.n; ++k) {
      own_ids_.push_back(group.ids[k] * group.width);
      own_scales_.push_back(group.scales == nullptr ? 1.0f : group.scales[k]);
    }
    group.ids = nullptr;
    group.scales = nullptr;
    group.width = 1;
  }
}

std::span<float> Gradient::add_block(FeatureId first, std::size_t count) {
  assert(first % kLine == 0 && count % kLine == 0);
  blocks_.push_back({first, dense_.size(), count});
  dense_.resize(dense_.size() + count, 0.0f);
  return std::span(dense_).last(count);
}

void Gradient::merge() {
  each_row([this](FeatureId first, float scale, std::span<const float> values) {
    for (std::size_t k = 0; k < values.size(); ++k)
      singles_.add(first + static_cast<FeatureId>(k), scale * values[k]);
  });
  groups_.clear();
  own_ids_.clear();
  own_scales_.clear();
  values_.clear();
  singles_.merge();
}

void Gradient::add_slice(double scale, std::size_t slice, std::size_t slices, Weights& w) const {
  const auto factor = static_cast<float>(scale);
  const auto mine = static_cast<std::uint32_t>(slice);
  const auto all = static_cast<std::uint32_t>(slices);
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
    if (slice_of(entry.id, all) == mine) w[entry.id] += static_cast<float>(scale * entry.value);
  }
  if (slice == 0) {
    each_block([&](FeatureId first, std::span<const float> values) {
      float* to = w.data() + first;
      for (std::size_t k = 0; k < values.size(); ++k) to[k] += factor * values[k];
    });
  }
}

double dot(const Weights& w, const Gradient& g) {
  const auto product = [&w](FeatureId first, std::span<const float> values) {
    double sum = 0.0;
    for (std::size_t k = 0; k < values.size(); ++k) sum += static_cast<double>(w[first + k]) * values[k];
    return sum;
  };
  double sum = dot(w, g.singles_);
  g.each_row([&](FeatureId first, float scale, std::span<const float> values) {
    sum += scale * product(first, values);
  });
  g.each_block([&](FeatureId first, std::span<const float> values) { sum += product(first, values); });
  return sum;
}

void axpy(double scale, const Gradient& g, Weights& w) { g.add_to(scale, w); }

double squared_norm(const Gradient& g) {
  assert(std::ranges::is_sorted(g.entries(), {}, &Entry::id));
  double sum = 0.0;
  for (const Entry& entry : g.entries()) sum += static_cast<double>(entry.value) * entry.value;
  g.each_block([&sum](FeatureId, std::span<const float> values) {
    for (const float value : values) sum += static_cast<double>(value) * value;
  });
  return sum;
}

double dot(const Gradient& a, const Gradient& b) {
  double sum = 0.0;
  const auto x = a.entries();
  const auto y = b.entries();
  for (std::size_t i = 0, j = 0; i < x.size() && j < y.size();) {
    if (x[i].id == y[j].id) {
      sum += static_cast<double>(x[i++].value) * y[j++].value;
    } else {
      x[i].id < y[j].id ? ++i : ++j;
    }
  }
  a.each_block([&](FeatureId first, std::span<const float> values) {
    b.each_block([&](FeatureId other, std::span<const float> others) {
      for (std::size_t k = 0; first == other && k < std::min(values.size(), others.size()); ++k)
        sum += static_cast<double>(values[k]) * others[k];
    });
  });
  return sum;
}

SparseVector to_sparse(const Gradient& merged) {
  SparseVector all;
  all.reserve(merged.entries().size());
  for (const Entry& entry : merged.entries()) all.add(entry.id, entry.value);
  if (!merged.has_blocks()) return all;
  merged.each_block([&all](FeatureId first, std::span<const float> values) {
    for (std::size_t k = 0; k < values.size(); ++k) all.add(first + static_cast<FeatureId>(k), values[k]);
  });
  all.merge();
  return all;
}

PackedVector to_packed(const Gradient& merged) {
  return merged.has_blocks() ? PackedVector(to_sparse(merged).entries()) : PackedVector(merged.entries());
}

}  // namespace hinge
#endif
