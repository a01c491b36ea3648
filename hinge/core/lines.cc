#include "hinge/core/lines.h"

#include <algorithm>
#include <cassert>

namespace hinge {
namespace {

// By bits: minus zero is not zero.
bool is_zero_line(const float* values, std::size_t count) {
  std::uint32_t bits = 0;
  for (std::size_t k = 0; k < count; ++k) bits |= std::bit_cast<std::uint32_t>(values[k]);
  return bits == 0;
}

}  // namespace

void LineVector::clear() {
  lines_.clear();
  values_.clear();
}

float* LineVector::push(std::uint32_t line) {
  assert(lines_.empty() || line > lines_.back());
  lines_.push_back(line);
  values_.resize(values_.size() + kLine);
  return values_.data() + values_.size() - kLine;
}

void LineVector::append(std::span<const std::uint32_t> lines, std::span<const float> values) {
  assert(values.size() == lines.size() * kLine);
  assert(lines_.empty() || lines.empty() || lines.front() > lines_.back());
  lines_.insert(lines_.end(), lines.begin(), lines.end());
  values_.insert(values_.end(), values.begin(), values.end());
}

// From the end, so that what is there makes room for itself.
void LineVector::add(const LineVector& other) {
  std::size_t common = 0;
  for (std::size_t a = 0, b = 0; a < lines_.size() && b < other.lines_.size();) {
    common += lines_[a] == other.lines_[b];
    lines_[a] <= other.lines_[b] ? ++a : ++b;
  }
  std::size_t a = lines_.size(), b = other.lines_.size(), to = a + b - common;
  lines_.resize(to);
  values_.resize(to * kLine);
  while (b > 0) {
    --to;
    const bool both = a > 0 && lines_[a - 1] == other.lines_[b - 1];
    if (!both && a > 0 && lines_[a - 1] > other.lines_[b - 1]) {
      --a;
      lines_[to] = lines_[a];
      std::copy_n(&values_[a * kLine], kLine, &values_[to * kLine]);
      continue;
    }
    --b;
    const float* added = &other.values_[b * kLine];
    float* sum = &values_[to * kLine];
    lines_[to] = other.lines_[b];
    if (both) {
      --a;
      const float* mine = &values_[a * kLine];
      for (std::size_t k = 0; k < kLine; ++k) sum[k] = mine[k] + added[k];
    } else {
      std::copy_n(added, kLine, sum);
    }
  }
}

void LineVector::scale(std::size_t k, float factor) {
  for (float& value : std::span(values_).subspan(k * kLine, kLine)) value *= factor;
}

std::size_t LineVector::find(std::uint32_t line) const {
  return static_cast<std::size_t>(std::ranges::lower_bound(lines_, line) - lines_.begin());
}

LineVector take_lines(Weights& w) {
  LineVector taken;
  for (std::size_t begin = 0; begin < w.size(); begin += kLine) {
    const std::size_t count = std::min(kLine, w.size() - begin);
    if (is_zero_line(&w[begin], count)) continue;
    std::copy_n(&w[begin], count, taken.push(static_cast<std::uint32_t>(begin / kLine)));
    std::fill_n(&w[begin], count, 0.0f);
  }
  return taken;
}

void axpy(double scale, const LineVector& v, Weights& w) {
  v.each_line(w.size(), [&](std::size_t first, const float* values, auto count) {
    for (std::size_t k = 0; k < count; ++k) w[first + k] += static_cast<float>(scale * values[k]);
  });
}

void TouchedLines::mark(const Gradient& gradient) {
  for (const Entry& entry : gradient.entries()) mark(entry.id);
  gradient.each_row(
      [this](FeatureId first, float, std::span<const float> values) { mark(first, values.size()); });
  gradient.each_block([this](FeatureId first, std::span<const float> values) { mark(first, values.size()); });
}

}  // namespace hinge
