// Sparse vectors over the weights, by lines of kLine neighbours: what a shard changed, or
// what ranks send each other. Their cost is that of the lines in them, however
// many weights there are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "hinge/core/gradient.h"
#include "hinge/core/sparse.h"
#include "hinge/core/weights.h"

namespace hinge {

inline std::size_t lines_in(std::size_t dimension) { return (dimension + kLine - 1) / kLine; }

// Lines in increasing order, with all their values; other weights are zero.
class LineVector {
 public:
  std::span<const std::uint32_t> lines() const { return lines_; }
  // Of the k-th of lines(), kLine values.
  const float* values(std::size_t k) const { return values_.data() + k * kLine; }
  bool empty() const { return lines_.empty(); }
  void clear();

  // Adds a line of zeros after all others, and returns its values.
  float* push(std::uint32_t line);
  // Adds lines that come after all others; `values`: kLine of each.
  void append(std::span<const std::uint32_t> lines, std::span<const float> values);
  // this += other.
  void add(const LineVector& other);
  // The k-th of lines() times `factor`.
  void scale(std::size_t k, float factor);
  // Where in lines() those at or after this line begin.
  std::size_t find(std::uint32_t line) const;

  // Calls body(first, values, count) for every line in order: weights [first, first + count). `count` is a
  // constant for all but a line at the end of the weights, so loops over it are unrolled.
  template <typename Body>
  void each_line(std::size_t dimension, const Body& body) const {
    constexpr std::integral_constant<std::size_t, kLine> kWhole;
    for (std::size_t k = 0; k < lines_.size(); ++k) {
      const std::size_t first = lines_[k] * kLine;
      if (first + kLine <= dimension)
        body(first, values(k), kWhole);
      else
        body(first, values(k), dimension - first);
    }
  }

 private:
  std::vector<std::uint32_t> lines_;
  std::vector<float> values_;  // [lines][kLine]
};

// The lines of `w` that are not zero, which become zero; minus zero is not zero.
LineVector take_lines(Weights& w);
void axpy(double scale, const LineVector& v, Weights& w);  // w += scale v

// Notes which lines of the weights some vectors reach.
class TouchedLines {
 public:
  explicit TouchedLines(std::size_t dimension) : bits_((lines_in(dimension) + 63) / 64) {}

  void mark(FeatureId id) { bits_[id / kLine / 64] |= std::uint64_t{1} << (id / kLine % 64); }
  void mark(FeatureId first, std::size_t count) {
    if (count == 0) return;
    for (std::size_t id = first; id < first + count; id += kLine) mark(static_cast<FeatureId>(id));
    mark(static_cast<FeatureId>(first + count - 1));
  }
  void mark(const SparseVector& v) {
    for (const Entry& entry : v.entries()) mark(entry.id);
  }
  void mark(const PackedVector& v) {
    for (const FeatureId id : v.ids()) mark(id);
  }
  void mark(const LineVector& v) {
    for (const std::uint32_t line : v.lines()) mark(static_cast<FeatureId>(line * kLine));
  }
  void mark(const Gradient& gradient);

  // Calls body(line) for every marked line in increasing order, and forgets them.
  template <typename Body>
  void take(const Body& body) {
    for (std::size_t word = 0; word < bits_.size(); ++word) {
      for (; bits_[word] != 0; bits_[word] &= bits_[word] - 1)
        body(static_cast<std::uint32_t>(64 * word + static_cast<std::size_t>(std::countr_zero(bits_[word]))));
    }
  }

 private:
  std::vector<std::uint64_t> bits_;
};

}  // namespace hinge
