// The sum of the gradients of one step, and which lines of kLine weights it
// touches. Nothing is sorted: singles, rows and blocks are added in place, and
// lines are listed in the order of first use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/gradient.h"

namespace hinge {

inline std::size_t lines_in(std::size_t dimension) { return (dimension + kLine - 1) / kLine; }

class LineSum {
 public:
  explicit LineSum(std::size_t dimension) : sum_(dimension), is_listed_(lines_in(dimension)) {}

  void add(double scale, const Gradient& gradient) {
    gradient.add_to(scale, sum_);
    gradient.each_stretch([this](FeatureId first, std::size_t count) {
      for (std::size_t line = first / kLine; line <= (first + count - 1) / kLine; ++line) {
        if (is_listed_[line] != 0) continue;
        is_listed_[line] = 1;
        lines_.push_back(static_cast<std::uint32_t>(line));
      }
    });
  }

  std::span<const std::uint32_t> lines() const { return lines_; }
  // [dimension], zero outside the lines.
  float* values() { return sum_.data(); }

  // Sets everything to zero.
  void clear() {
    for (const std::uint32_t line : lines_) {
      std::fill_n(sum_.data() + line * kLine, kLine, 0.0f);
      is_listed_[line] = 0;
    }
    lines_.clear();
  }

 private:
  Weights sum_;
  ZeroedArray<std::uint8_t> is_listed_;
  std::vector<std::uint32_t> lines_;
};

}  // namespace hinge
