// The jumps of the hidden Markov model: how far the translation of a word is from
// that of the word before it.
//
//   P(i | s, n) = c(i - s) / sum over i' = 1..n of c(i' - s)
//
// from position s (0: before the first word) to position i of n words. Vogel, Ney,
// Tillmann (COLING 1996), equation 4. Jumps of kFar words or more share one weight per
// direction, divided evenly among the words there.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace hinge::mt {

// Expected numbers of jumps by distance, and of jumps from a position by the range
// of distances possible there, on which the normalization depends.
struct JumpCounts;

class Jumps {
 public:
  static constexpr int kFar = 12;
  static constexpr std::size_t kWeights = 2 * kFar + 1;

  // Most jumps go to the next word; halves with each word of distance from it.
  Jumps();

  // The range of distances possible at a position, far ones cut to kFar.
  struct Range {
    int low;   // -kFar .. 1
    int high;  // 0 .. kFar
  };
  static Range range(std::size_t position, std::size_t n);
  static std::size_t weight_of(int jump);  // its index

  // P(i | s, n), as [position s = 0..n][i = 1..n].
  void fill(std::size_t n, std::span<float> probabilities) const;

  // Maximizes sum of counts * log P. The ranges have different sums, so there is no closed form:
  // each round is the minorization of Hunter (Annals of Statistics 2004), section
  // 2, for paired comparisons, which never lowers it.
  void maximize(const JumpCounts& counts);

  std::span<const double> weights() const { return weights_; }

 private:
  double sum(Range range) const;

  std::array<double, kWeights> weights_;
};

struct JumpCounts {
  static constexpr std::size_t kLows = Jumps::kFar + 2;
  static constexpr std::size_t kHighs = Jumps::kFar + 1;

  std::array<double, Jumps::kWeights> by_weight{};
  std::array<double, kLows * kHighs> by_range{};

  static std::size_t index(Jumps::Range range) {
    return static_cast<std::size_t>(range.low + Jumps::kFar) * kHighs + static_cast<std::size_t>(range.high);
  }
  // Adds the expected number of each jump, laid out as in Jumps::fill.
  void add(std::size_t n, std::span<const float> jumps);
  void add(const JumpCounts& other);
};

}  // namespace hinge::mt
