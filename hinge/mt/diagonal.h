// Where a word's translation is expected: near the diagonal.
//
//   P(a_j = i | j, m, n) = exp(tension * h(i, j)) / Z_j,  h(i, j) = -|i/n - j/m|
//
// for word j = 1..m, made by one of i = 1..n given words (or, with probability
// p0, by none). Dyer, Chahuneau, Smith (NAACL 2013), section 2; their m and n are
// exchanged. Z and its derivative are sums of two geometric series (section 3.1), so
// they take the same time for any n.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hinge::mt {

// How far the word j is from the given word i, -h(i, j) >= 0.
double diagonal_distance(std::size_t j, std::size_t m, std::size_t i, std::size_t n);

struct Partition {
  double sum;            // Z_j
  double mean_distance;  // the model's expectation of -h: -d log Z_j / d tension
};
Partition diagonal_partition(std::size_t j, std::size_t m, std::size_t n, double tension);

// P(a_j = i) for all i; n is the size of `row`.
void diagonal_row(std::size_t j, std::size_t m, double tension, std::span<float> row);

// What the M step of the tension depends on: the expected distance of all linked
// words, and how many linked words are expected at each j of each pair of lengths.
class TensionCounts {
 public:
  struct Lengths {
    std::uint32_t made;
    std::uint32_t given;

    auto operator<=>(const Lengths&) const = default;
  };

  // The lengths of all pairs of sentences.
  explicit TensionCounts(std::vector<Lengths> lengths);

  void reset();
  // To be called in a fixed order. `null` has the probability that word j has no link.
  void add(Lengths lengths, std::span<const float> null);
  void add_distance(double sum) { distance_ += sum; }

  // The part of the expected log likelihood that depends on the tension, and its
  // derivative.
  double value(double tension) const;
  double gradient(double tension) const;

  // The best tension in [kLeast, kMost]. The value is concave, so its gradient is
  // bisected. (The paper's eight steps of fixed size end near there, but may overshoot.)
  double best() const;

  static constexpr double kLeast = 0.1;
  static constexpr double kMost = 14.0;

 private:
  template <typename Body>
  double sum_over_words(const Body& body) const;

  std::vector<Lengths> lengths_;      // distinct, sorted
  std::vector<std::uint64_t> begin_;  // [lengths + 1], into linked_
  std::vector<double> linked_;        // [j]: expected number of linked words
  double distance_ = 0.0;
};

}  // namespace hinge::mt
