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

void add_rows(const FeatureId* rows, const float* scales, std::size_t n, float scale, const float* values,
              std::size_t count, float* w) {
  constexpr std::size_t kAhead = 6;  // rows lie far apart
  for (std::size_t k = 0; k < n; ++k) {
    if (k + kAhead < n) {
      __builtin_prefetch(w + rows[k + kAhead], 1);
      __builtin_prefetch(w + rows[k + kAhead] + count - 1, 1);
    }
    add_row(scale * scales[k], values, count, w + rows[k]);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(add_row);
HWY_EXPORT(add_rows);

// Weights are dealt out to the parts in runs of this many; the busiest features
// have the lowest numbers, so longer runs would not share the work evenly.
constexpr std::size_t kRun = 256;

}  // namespace

void RowSum::clear() {
  groups_.clear();
  rows_.clear();
  scales_.clear();
  values_.clear();
  singles_.clear();
}

std::span<float> RowSum::values(std::size_t count) {
  groups_.push_back({rows_.size(), values_.size(), count});
  values_.resize(values_.size() + count, 0.0f);
  return std::span(values_).last(count);
}

void RowSum::add_row(FeatureId first, float scale) {
  rows_.push_back(first);
  scales_.push_back(scale);
}

void RowSum::add_rows(std::span<const std::uint32_t> ids, FeatureId width, const float* scales) {
  const std::size_t begin = rows_.size();
  rows_.resize(begin + ids.size());
  scales_.resize(begin + ids.size(), 1.0f);
  for (std::size_t k = 0; k < ids.size(); ++k) rows_[begin + k] = ids[k] * width;
  if (scales != nullptr) std::copy_n(scales, ids.size(), scales_.begin() + static_cast<std::ptrdiff_t>(begin));
}

void RowSum::add_part(double scale, std::size_t part, std::size_t parts, Weights& w) const {
  const auto factor = static_cast<float>(scale);
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    const Group& group = groups_[g];
    const std::size_t rows_end = g + 1 < groups_.size() ? groups_[g + 1].rows_begin : rows_.size();
    const float* values = values_.data() + group.values_begin;
    if (parts == 1) {
      HWY_DYNAMIC_DISPATCH(add_rows)
      (rows_.data() + group.rows_begin, scales_.data() + group.rows_begin, rows_end - group.rows_begin,
       factor, values, group.count, w.data());
      continue;
    }
    for (std::size_t r = group.rows_begin; r < rows_end; ++r) {
      const std::size_t end = rows_[r] + group.count;
      for (std::size_t from = rows_[r]; from < end;) {
        const std::size_t to = std::min(end, (from / kRun + 1) * kRun);
        if (from / kRun % parts == part) {
          HWY_DYNAMIC_DISPATCH(add_row)
          (factor * scales_[r], values + (from - rows_[r]), to - from, w.data() + from);
        }
        from = to;
      }
    }
  }
  for (const Entry& entry : singles_.entries()) {
    if (entry.id / kRun % parts == part) w[entry.id] += factor * entry.value;
  }
}

}  // namespace hinge
#endif
