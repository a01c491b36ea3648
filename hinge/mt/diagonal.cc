#include "hinge/mt/diagonal.h"

#include <algorithm>
#include <cmath>

namespace hinge::mt {
namespace {

// Words on one side of the diagonal: distances first, first + 1/n, ... (`count`).
struct Series {
  double sum;       // of exp(-tension distance)
  double distance;  // of distance * exp(-tension distance)
};

Series geometric(double first, double count, double step, double tension) {
  if (count == 0) return {0.0, 0.0};
  const double r = std::exp(-tension * step);
  const double below = -std::expm1(-tension * step);           // 1 - r
  const double powers = -std::expm1(-tension * step * count);  // 1 - r^count
  const double scale = std::exp(-tension * first);
  const double sum = powers / below;                                           // sum of r^k, k < count
  const double ranks = (r * powers / below - count * (1.0 - powers)) / below;  // sum of k r^k
  return {scale * sum, scale * (first * sum + step * ranks)};
}

// The number of given words at or left of the diagonal.
std::size_t left_of_diagonal(std::size_t j, std::size_t m, std::size_t n) { return j * n / m; }

}  // namespace

double diagonal_distance(std::size_t j, std::size_t m, std::size_t i, std::size_t n) {
  return std::abs(static_cast<double>(i) / static_cast<double>(n) -
                  static_cast<double>(j) / static_cast<double>(m));
}

Partition diagonal_partition(std::size_t j, std::size_t m, std::size_t n, double tension) {
  const std::size_t left = left_of_diagonal(j, m, n), right = n - left;
  const double step = 1.0 / static_cast<double>(n);
  const Series before = geometric(diagonal_distance(j, m, left, n), static_cast<double>(left), step, tension);
  const Series after =
      geometric(diagonal_distance(j, m, left + 1, n), static_cast<double>(right), step, tension);
  const double sum = before.sum + after.sum;
  return {sum, (before.distance + after.distance) / sum};
}

void diagonal_row(std::size_t j, std::size_t m, double tension, std::span<float> row) {
  const std::size_t n = row.size(), left = left_of_diagonal(j, m, n);
  const double r = std::exp(-tension / static_cast<double>(n));
  const double scale = 1.0 / diagonal_partition(j, m, n, tension).sum;
  const auto fill = [&](std::size_t first, std::size_t count, std::ptrdiff_t direction) {
    double value = scale * std::exp(-tension * diagonal_distance(j, m, first, n));
    float* at = row.data() + first - 1;
    for (std::size_t k = 0; k < count; ++k, at += direction, value *= r) *at = static_cast<float>(value);
  };
  if (left > 0) fill(left, left, -1);
  if (left < n) fill(left + 1, n - left, 1);
}

TensionCounts::TensionCounts(std::vector<Lengths> lengths) : lengths_(std::move(lengths)) {
  std::sort(lengths_.begin(), lengths_.end());
  lengths_.erase(std::unique(lengths_.begin(), lengths_.end()), lengths_.end());
  begin_.assign(1, 0);
  for (const Lengths& one : lengths_) begin_.push_back(begin_.back() + one.made);
  reset();
}

void TensionCounts::reset() {
  linked_.assign(begin_.back(), 0.0);
  distance_ = 0.0;
}

void TensionCounts::add(Lengths lengths, std::span<const float> null) {
  const auto found = std::lower_bound(lengths_.begin(), lengths_.end(), lengths);
  double* linked = linked_.data() + begin_[static_cast<std::size_t>(found - lengths_.begin())];
  for (const float unlinked : null) *linked++ += 1.0 - static_cast<double>(unlinked);
}

template <typename Body>
double TensionCounts::sum_over_words(const Body& body) const {
  double sum = 0.0;
  for (std::size_t k = 0; k < lengths_.size(); ++k)
    for (std::size_t j = 1; j <= lengths_[k].made; ++j)
      sum += linked_[begin_[k] + j - 1] * body(j, lengths_[k]);
  return sum;
}

double TensionCounts::value(double tension) const {
  return -tension * distance_ - sum_over_words([&](std::size_t j, const Lengths& of) {
    return std::log(diagonal_partition(j, of.made, of.given, tension).sum);
  });
}

double TensionCounts::gradient(double tension) const {
  return -distance_ + sum_over_words([&](std::size_t j, const Lengths& of) {
    return diagonal_partition(j, of.made, of.given, tension).mean_distance;
  });
}

double TensionCounts::best() const {
  constexpr int kBisections = 30;  // to 1e-8
  double low = kLeast, high = kMost;
  for (int k = 0; k < kBisections; ++k) {
    const double middle = 0.5 * (low + high);
    (gradient(middle) > 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace hinge::mt
