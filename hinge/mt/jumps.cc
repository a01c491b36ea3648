#include "hinge/mt/jumps.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace hinge::mt {
namespace {

constexpr double kLeastWeight = 1e-6;  // a jump never seen stays possible

void normalize(std::span<double> weights) {
  double sum = 0.0;
  for (const double weight : weights) sum += weight;
  for (double& weight : weights) weight = std::max(weight / sum, kLeastWeight);
}

// How many of n words are reached from `position` by jumps that share a weight.
double words_sharing(int jump, std::size_t position, std::size_t n) {
  if (std::abs(jump) < Jumps::kFar) return 1.0;
  const std::size_t words = jump < 0 ? position - 1 : n - position;  // before or after it
  return static_cast<double>(words) - static_cast<double>(Jumps::kFar) + 1.0;
}

}  // namespace

Jumps::Jumps() {
  for (int jump = -kFar; jump <= kFar; ++jump)
    weights_[weight_of(jump)] = std::pow(0.5, static_cast<double>(std::abs(jump - 1)));
  normalize(weights_);
}

Jumps::Range Jumps::range(std::size_t position, std::size_t n) {
  return {std::max(1 - static_cast<int>(position), -kFar), std::min(static_cast<int>(n - position), kFar)};
}

std::size_t Jumps::weight_of(int jump) {
  return static_cast<std::size_t>(std::clamp(jump, -kFar, kFar) + kFar);
}

double Jumps::sum(Range range) const {
  double sum = 0.0;
  for (int jump = range.low; jump <= range.high; ++jump) sum += weights_[weight_of(jump)];
  return sum;
}

void Jumps::fill(std::size_t n, std::span<float> probabilities) const {
  float* out = probabilities.data();
  for (std::size_t position = 0; position <= n; ++position) {
    const Range possible = range(position, n);
    std::array<float, kWeights> shares{};
    const double scale = 1.0 / sum(possible);
    for (int jump = possible.low; jump <= possible.high; ++jump)
      shares[weight_of(jump)] =
          static_cast<float>(scale * weights_[weight_of(jump)] / words_sharing(jump, position, n));
    for (std::size_t i = 1; i <= n; ++i)
      *out++ = shares[weight_of(static_cast<int>(i) - static_cast<int>(position))];
  }
}

void Jumps::maximize(const JumpCounts& counts) {
  constexpr int kRounds = 10;
  if (std::ranges::all_of(counts.by_weight, [](double count) { return count == 0.0; })) return;
  for (int round = 0; round < kRounds; ++round) {
    std::array<double, kWeights> chances{};  // sum over ranges that have the jump of count / sum
    for (int low = -kFar; low <= 1; ++low) {
      for (int high = 0; high <= kFar; ++high) {
        const double count = counts.by_range[JumpCounts::index({low, high})];
        if (count == 0.0) continue;
        const double share = count / sum({low, high});
        for (int jump = low; jump <= high; ++jump) chances[weight_of(jump)] += share;
      }
    }
    for (std::size_t k = 0; k < kWeights; ++k)
      weights_[k] = chances[k] > 0.0 ? counts.by_weight[k] / chances[k] : 0.0;
    normalize(weights_);
  }
}

void JumpCounts::add(std::size_t n, std::span<const float> jumps) {
  const float* at = jumps.data();
  for (std::size_t position = 0; position <= n; ++position) {
    double from_here = 0.0;
    for (std::size_t i = 1; i <= n; ++i) {
      const auto count = static_cast<double>(*at++);
      by_weight[Jumps::weight_of(static_cast<int>(i) - static_cast<int>(position))] += count;
      from_here += count;
    }
    by_range[index(Jumps::range(position, n))] += from_here;
  }
}

void JumpCounts::add(const JumpCounts& other) {
  for (std::size_t k = 0; k < by_weight.size(); ++k) by_weight[k] += other.by_weight[k];
  for (std::size_t k = 0; k < by_range.size(); ++k) by_range[k] += other.by_range[k];
}

}  // namespace hinge::mt
