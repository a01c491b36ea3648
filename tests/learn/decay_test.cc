#include "hinge/learn/steps/decay.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/core/weights.h"

namespace hinge::test {
namespace {

struct Weight {
  double w;
  double root;
  std::uint32_t last;
};

using DecayFunction = void (*)(float*, const float*, std::uint32_t*, std::size_t, std::uint32_t, float);

// Runs over arrays with slack; returns w and checks that `last` is never wrong.
std::vector<float> decayed(DecayFunction decay, const std::vector<Weight>& weights, std::uint32_t now,
                           float rate) {
  Weights w(weights.size());
  Weights root(weights.size());
  ZeroedArray<std::uint32_t> last(weights.size());
  for (std::size_t k = 0; k < weights.size(); ++k) {
    w[k] = static_cast<float>(weights[k].w);
    root[k] = static_cast<float>(weights[k].root);
    last[k] = weights[k].last;
  }
  decay(w.data(), root.data(), last.data(), weights.size(), now, rate);
  for (std::size_t k = 0; k < weights.size(); ++k) EXPECT_TRUE(last[k] == now || weights[k].w == 0.0);
  return {w.span().begin(), w.span().end()};
}

std::vector<Weight> random_weights(Random& random, std::size_t n, std::uint32_t now) {
  std::vector<Weight> weights;
  for (std::size_t k = 0; k < n; ++k) {
    weights.push_back({.w = random.uniform() < 0.2 ? 0.0 : 4.0 * random.uniform() - 2.0,
                       .root = std::pow(10.0, 4.0 * random.uniform() - 2.0),
                       .last = static_cast<std::uint32_t>(random.below(now + 1))});
  }
  return weights;
}

TEST(Decay, L2IsTheRepeatedShrinkOfEveryMissedUpdate) {
  for (const float rate : {1e-5f, 1e-3f, 0.1f}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const std::uint32_t now = static_cast<std::uint32_t>(1 + random.below(300));
      const std::vector<Weight> weights = random_weights(random, 1 + random.below(40), now);
      const std::vector<float> result = decayed(decay_l2, weights, now, rate);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        double expected = static_cast<float>(weights[k].w);
        for (std::uint32_t t = weights[k].last; t < now; ++t) {
          expected *= weights[k].root / (static_cast<double>(rate) + weights[k].root);
        }
        EXPECT_NEAR(result[k], expected, 1e-5 * std::abs(expected) + 1e-30);
      }
    }
  }
}

// Whichever way the power is computed, for small and for large exponents.
TEST(Decay, L2IsAsExactAsAFloatForEveryRatio) {
  for (double ratio = 1e-7; ratio < 2.0; ratio *= 1.25) {
    for (const std::uint32_t steps : {1u, 3u, 10u, 40u, 200u, 5000u}) {
      const std::vector<Weight> weights(16, {.w = 1.0, .root = 1.0, .last = 0});
      const auto rate = static_cast<float>(ratio);
      const double exponent = steps * std::log1p(static_cast<double>(rate));
      if (exponent > 80.0) continue;  // below the smallest normal float
      for (const float value : decayed(decay_l2, weights, steps, rate)) {
        EXPECT_NEAR(value / std::exp(-exponent), 1.0, 4e-7 * (1.0 + exponent)) << ratio << ", " << steps;
      }
    }
  }
}

TEST(Decay, L1IsTheRepeatedSubtractionOfEveryMissedUpdateAndStopsAtZero) {
  for (const float rate : {1e-5f, 1e-3f, 0.1f}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const std::uint32_t now = static_cast<std::uint32_t>(1 + random.below(300));
      const std::vector<Weight> weights = random_weights(random, 1 + random.below(40), now);
      const std::vector<float> result = decayed(decay_l1, weights, now, rate);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        double expected = static_cast<float>(weights[k].w);
        for (std::uint32_t t = weights[k].last; t < now; ++t) {
          expected = std::copysign(
              std::max(0.0, std::abs(expected) - static_cast<double>(rate) / weights[k].root), expected);
        }
        EXPECT_NEAR(result[k], expected, 1e-6);
      }
    }
  }
}

TEST(Decay, AWeightThatIsUpToDateKeepsItsBits) {
  for (const DecayFunction decay : {decay_l1, decay_l2}) {
    std::vector<Weight> weights(20, {.w = 0.1234567, .root = 2.0, .last = 9});
    weights[7].last = 3;
    const std::vector<float> result = decayed(decay, weights, 9, 0.01f);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (k == 7) {
        EXPECT_LT(result[k], 0.1234567f);
      } else {
        EXPECT_EQ(result[k], 0.1234567f);
      }
    }
  }
}

TEST(Decay, AWeightIdleForTwoBillionUpdatesDecaysToNothingNotToNonsense) {
  const std::vector<Weight> weights(3, {.w = -1.5, .root = 1.0, .last = 0});
  for (const DecayFunction decay : {decay_l1, decay_l2}) {
    for (const float value : decayed(decay, weights, 2'000'000'000u, 0.1f)) EXPECT_EQ(value, 0.0f);
  }
}

TEST(Decay, ARootNeverSetCountsAsTheInitialOne) {
  const std::vector<Weight> unset(1, {.w = 1.0, .root = 0.0, .last = 0});
  const std::vector<Weight> initial(1, {.w = 1.0, .root = kInitialRoot, .last = 0});
  for (const DecayFunction decay : {decay_l1, decay_l2}) {
    EXPECT_EQ(decayed(decay, unset, 5, 1e-5f), decayed(decay, initial, 5, 1e-5f));
  }
}

// Where training is resumed or its model copied, these are not what they were.
TEST(Decay, WhatIsKnownOfAZeroWeightDoesNotShowInItsNeighbours) {
  for (const DecayFunction decay : {decay_l1, decay_l2}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const std::uint32_t now = 1000;
      std::vector<Weight> weights = random_weights(random, 40, now);
      for (Weight& weight : weights) {
        if (random.below(2) == 0) weight.w = 0.0;
        weight.root = 1.0 + random.uniform();
        weight.last = now - static_cast<std::uint32_t>(random.below(50));
      }
      const std::vector<float> result = decayed(decay, weights, now, 1e-3f);
      for (Weight& weight : weights) {
        if (weight.w != 0.0) continue;
        weight.last = random.below(2) == 0 ? 0 : now;
        weight.root = random.below(2) == 0 ? 0.0 : 1e6;
      }
      EXPECT_EQ(decayed(decay, weights, now, 1e-3f), result);
    }
  }
}

}  // namespace
}  // namespace hinge::test
