// The sum of the gradients of one step, by lines of kLine weights. Only the lines
// that the gradients reach are stored, side by side in the order they are first
// reached: a step then reads a few kilobytes, not an array as large as the weights.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/lines.h"

namespace hinge {

class LineSum {
 public:
  explicit LineSum(std::size_t dimension) : slot_(lines_in(dimension)) {}

  // sum += scale * gradient.
  void add(double scale, const Gradient& gradient);

  std::span<const std::uint32_t> lines() const { return lines_; }
  // The sum of the k-th of lines(), kLine values.
  const float* values(std::size_t k) const { return sums_.data() + k * kLine; }

  // Zero again.
  void clear() {
    for (const std::uint32_t line : lines_) slot_[line] = 0;
    lines_.clear();
    sums_.clear();
  }

 private:
  float* line(std::size_t number);
  void pad(std::span<const float> values);
  void add_lines(float scale, std::size_t first_line, const float* values, std::size_t n);

  ZeroedArray<std::uint32_t> slot_;   // [all lines], 1 + the place in lines_; 0: not there
  std::vector<std::uint32_t> lines_;  // that are there
  std::vector<float> sums_;           // [lines_][kLine]
  std::vector<float> padded_;         // the values of a row
};

}  // namespace hinge
