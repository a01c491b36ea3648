#include "hinge/learn/steps/line_sum.h"

#include <hwy/highway.h>

#include <algorithm>

namespace hinge {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Four floats are in every instruction set; memory is what a line waits for.
void add_line(float scale, const float* values, float* sum) {
  const hn::CappedTag<float, 4> d;
  const auto factor = hn::Set(d, scale);
  for (std::size_t k = 0; k < kLine; k += hn::Lanes(d))
    hn::StoreU(hn::MulAdd(factor, hn::LoadU(d, values + k), hn::LoadU(d, sum + k)), d, sum + k);
}

}  // namespace

void LineSum::add(double scale, const Gradient& gradient) {
  const auto factor = static_cast<float>(scale);
  for (const Entry& entry : gradient.entries())
    *(line(entry.id / kLine) + entry.id % kLine) += factor * entry.value;
  // Lines are far apart in memory: prefetch all their slots.
  gradient.each_row([&](FeatureId first, float, std::span<const float> values) {
    __builtin_prefetch(&slot_[first / kLine], 1);
    __builtin_prefetch(&slot_[(first + values.size() - 1) / kLine], 1);
  });
  const float* padded_from = nullptr;
  gradient.each_row([&](FeatureId first, float row_scale, std::span<const float> values) {
    if (values.data() != padded_from) pad(values);
    padded_from = values.data();
    add_lines(factor * row_scale, first / kLine, padded_.data() + kLine - first % kLine,
              lines_in(first % kLine + values.size()));
  });
  gradient.each_block([&](FeatureId first, std::span<const float> values) {
    add_lines(factor, first / kLine, values.data(), values.size() / kLine);
  });
}

float* LineSum::line(std::size_t number) {
  std::uint32_t& slot = slot_[number];
  if (slot == 0) {
    lines_.push_back(static_cast<std::uint32_t>(number));
    sums_.resize(lines_.size() * kLine, 0.0f);
    slot = static_cast<std::uint32_t>(lines_.size());
  }
  return sums_.data() + (slot - 1) * kLine;
}

// Zeros on both sides: a row is added as whole lines wherever in them it begins.
void LineSum::pad(std::span<const float> values) {
  padded_.assign(values.size() + 2 * kLine, 0.0f);
  std::ranges::copy(values, padded_.begin() + kLine);
}

void LineSum::add_lines(float scale, std::size_t first_line, const float* values, std::size_t n) {
  for (std::size_t l = 0; l < n; ++l) add_line(scale, values + l * kLine, line(first_line + l));
}

}  // namespace hinge
