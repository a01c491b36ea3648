#include "hinge/learn/steps/adagrad_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "hinge/core/random.h"
#include "hinge/core/weights.h"
#include "hinge/learn/steps/line_sum.h"

namespace hinge::test {
namespace {

struct Weight {
  double w;
  double root;
};

// Arrays of whole lines. The weights of a line share one stamp.
struct Arrays {
  explicit Arrays(const std::vector<Weight>& weights, const std::vector<std::uint32_t>& at)
      : w(weights.size()), root(weights.size()), stamps(lines_in(weights.size())), due(stamps.size()) {
    for (std::size_t k = 0; k < weights.size(); ++k) {
      w[k] = static_cast<float>(weights[k].w);
      root[k] = static_cast<float>(weights[k].root);
    }
    for (std::size_t line = 0; line < at.size(); ++line) stamps[line] = at[line];
  }

  AdaGradArrays get() { return {w.data(), root.data(), stamps.data(), due.data(), nullptr}; }
  void catch_up(std::uint32_t now, float rate, bool l1) {
    const Block all{.first = 0, .count = static_cast<FeatureId>(w.size())};
    catch_up_lines({&all, 1}, now, {.eta = 1.0f, .rate = rate, .l1 = l1}, get());
  }
  std::vector<float> values() const { return {w.span().begin(), w.span().end()}; }

  Weights w, root;
  ZeroedArray<std::uint32_t> stamps, due;
};

std::vector<float> decayed(bool l1, const std::vector<Weight>& weights, const std::vector<std::uint32_t>& at,
                           std::uint32_t now, float rate) {
  Arrays arrays(weights, at);
  arrays.catch_up(now, rate, l1);
  for (std::size_t line = 0; line < at.size(); ++line) EXPECT_EQ(arrays.stamps[line], now);
  return arrays.values();
}

std::vector<Weight> random_weights(Random& random, std::size_t n) {
  std::vector<Weight> weights;
  for (std::size_t k = 0; k < n; ++k) {
    weights.push_back({.w = random.uniform() < 0.2 ? 0.0 : 4.0 * random.uniform() - 2.0,
                       .root = std::pow(10.0, 4.0 * random.uniform() - 2.0)});
  }
  return weights;
}

std::vector<std::uint32_t> random_stamps(Random& random, std::size_t weights, std::uint32_t now) {
  std::vector<std::uint32_t> at;
  for (std::size_t line = 0; line < lines_in(weights); ++line)
    at.push_back(static_cast<std::uint32_t>(random.below(now + 1)));
  return at;
}

TEST(AdaGradKernels, CatchingUpIsTheRepeatedShrinkOfEveryMissedStep) {
  for (const bool l1 : {false, true}) {
    for (const float rate : {1e-5f, 1e-3f, 0.1f}) {
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        SCOPED_TRACE(seed);
        Random random(seed);
        const std::uint32_t now = static_cast<std::uint32_t>(1 + random.below(300));
        const std::vector<Weight> weights = random_weights(random, 1 + random.below(60));
        const auto at = random_stamps(random, weights.size(), now);
        const std::vector<float> result = decayed(l1, weights, at, now, rate);
        for (std::size_t k = 0; k < weights.size(); ++k) {
          double expected = static_cast<float>(weights[k].w);
          const double ratio = static_cast<double>(rate) / weights[k].root;
          for (std::uint32_t t = at[k / kLine]; t < now; ++t)
            expected = l1 ? std::copysign(std::max(0.0, std::abs(expected) - ratio), expected)
                          : expected / (1.0 + ratio);
          EXPECT_NEAR(result[k], expected, l1 ? 1e-6 : 1e-5 * std::abs(expected) + 1e-30);
        }
      }
    }
  }
}

// Covers both ways to compute the power, for small and large exponents.
TEST(AdaGradKernels, L2IsAsExactAsAFloatForEveryRatio) {
  for (double ratio = 1e-7; ratio < 2.0; ratio *= 1.25) {
    for (const std::uint32_t steps : {1u, 3u, 10u, 40u, 200u, 5000u}) {
      const std::vector<Weight> weights(16, {.w = 1.0, .root = 1.0});
      const auto rate = static_cast<float>(ratio);
      const double exponent = steps * std::log1p(static_cast<double>(rate));
      if (exponent > 80.0) continue;  // below the smallest normal float
      for (const float value : decayed(false, weights, {0}, steps, rate)) {
        EXPECT_NEAR(value / std::exp(-exponent), 1.0, 4e-7 * (1.0 + exponent)) << ratio << ", " << steps;
      }
    }
  }
}

TEST(AdaGradKernels, ALineThatIsUpToDateKeepsItsBits) {
  for (const bool l1 : {false, true}) {
    const std::vector<Weight> weights(3 * kLine, {.w = 0.1234567, .root = 2.0});
    const std::vector<float> result = decayed(l1, weights, {9, 3, 9}, 9, 0.01f);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      if (k / kLine == 1) {
        EXPECT_LT(result[k], 0.1234567f);
      } else {
        EXPECT_EQ(result[k], 0.1234567f);
      }
    }
  }
}

TEST(AdaGradKernels, AWeightIdleForTwoBillionStepsDecaysToNothingNotToNonsense) {
  const std::vector<Weight> weights(3, {.w = -1.5, .root = 1.0});
  for (const bool l1 : {false, true}) {
    for (const float value : decayed(l1, weights, {0}, 2'000'000'000u, 0.1f)) EXPECT_EQ(value, 0.0f);
  }
}

TEST(AdaGradKernels, ARootNeverSetCountsAsTheInitialOne) {
  const std::vector<Weight> unset(1, {.w = 1.0, .root = 0.0});
  const std::vector<Weight> initial(1, {.w = 1.0, .root = kInitialRoot});
  for (const bool l1 : {false, true})
    EXPECT_EQ(decayed(l1, unset, {0}, 5, 1e-5f), decayed(l1, initial, {0}, 5, 1e-5f));
}

// A resumed run may have a different root for a weight of zero.
TEST(AdaGradKernels, WhatIsKnownOfAZeroWeightDoesNotShowInItsNeighbours) {
  for (const bool l1 : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const std::uint32_t now = 1000;
      std::vector<Weight> weights = random_weights(random, 40);
      for (Weight& weight : weights) {
        if (random.below(2) == 0) weight.w = 0.0;
        weight.root = 1.0 + random.uniform();
      }
      std::vector<std::uint32_t> at(lines_in(weights.size()));
      for (std::uint32_t& stamp : at) stamp = now - static_cast<std::uint32_t>(random.below(50));
      const std::vector<float> result = decayed(l1, weights, at, now, 1e-3f);
      for (Weight& weight : weights) {
        if (weight.w == 0.0) weight.root = random.below(2) == 0 ? 0.0 : 1e6;
      }
      EXPECT_EQ(decayed(l1, weights, at, now, 1e-3f), result);
    }
  }
}

// Kummerfeld et al. 2015, Algorithm 1, in double.
TEST(AdaGradKernels, AStepIsTheOneOfThePaperForEveryWeightOfTheLine) {
  constexpr float kEta = 0.05f;
  for (const bool l1 : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      SCOPED_TRACE(seed);
      Random random(seed);
      const std::vector<Weight> weights = random_weights(random, 3 * kLine);
      const AdaGradRates rates{.eta = kEta, .rate = kEta * 1e-2f, .l1 = l1};
      Arrays arrays(weights, {6, 6, 6});
      Weights gradient(weights.size());
      for (float& g : gradient.span()) {
        if (random.below(3) == 0) g = static_cast<float>(2.0 * random.uniform() - 1.0);
      }
      const std::vector<std::uint32_t> lines{0, 2};
      std::vector<float> of_lines(gradient.data(), gradient.data() + kLine);
      of_lines.insert(of_lines.end(), gradient.data() + 2 * kLine, gradient.data() + 3 * kLine);
      step_lines(lines, 7, of_lines.data(), rates, arrays.get());
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const double w = static_cast<float>(weights[k].w);
        if (k / kLine == 1) {
          EXPECT_EQ(arrays.w[k], static_cast<float>(w));
          continue;
        }
        const double g = gradient[k];
        const double root = std::hypot(std::max(weights[k].root, 1e-3), g);
        const double u = w - rates.eta / root * g;
        const double expected = l1 ? std::copysign(std::max(0.0, std::abs(u) - rates.rate / root), u)
                                   : (w * root - rates.eta * g) / (double{rates.rate} + root);
        EXPECT_NEAR(arrays.w[k], expected, 1e-6 * (1.0 + std::abs(expected)));
        EXPECT_NEAR(arrays.root[k], g == 0.0 ? weights[k].root : root, 1e-6 * root);
      }
      EXPECT_EQ(arrays.stamps[0], 7u);
      EXPECT_EQ(arrays.stamps[1], 6u);
    }
  }
}

// A weight that is read lacks at most the tolerance; a line that is not yet due is not touched.
TEST(AdaGradKernels, ReadingIsWithinTheToleranceOfEveryMissedStep) {
  constexpr float kRate = 1e-3f;
  for (const bool l1 : {false, true}) {
    for (const float tolerance : {0.0f, 1e-3f, 0.05f}) {
      Random random(7);
      const std::vector<Weight> weights = random_weights(random, 40 * kLine);
      const AdaGradRates rates{.eta = 1.0f, .rate = kRate, .l1 = l1, .tolerance = tolerance};
      Arrays late(weights, std::vector<std::uint32_t>(40, 0));
      std::size_t touched = 0;
      for (std::uint32_t now = 1; now <= 200; ++now) {
        const Block all{.first = 0, .count = static_cast<FeatureId>(weights.size())};
        catch_up_lines({&all, 1}, now, rates, late.get());
        const std::vector<float> after = late.values();
        for (std::size_t line = 0; line < 40; ++line) touched += late.stamps[line] == now;
        const std::vector<float> exact = decayed(l1, weights, std::vector<std::uint32_t>(40, 0), now, kRate);
        for (std::size_t k = 0; k < weights.size(); ++k)
          ASSERT_NEAR(after[k], exact[k], tolerance + 2e-5) << "step " << now << ", weight " << k;
      }
      EXPECT_LE(touched, tolerance == 0.05f ? 100u * 40u : 200u * 40u);
      EXPECT_GE(touched, tolerance == 0.0f ? 200u * 40u : 1u);
    }
  }
}

// The sum has every value that a weight had after each step.
TEST(AdaGradKernels, SumsAreThoseOfEveryMissedStep) {
  for (const bool l1 : {false, true}) {
    for (const float rate : {1e-7f, 1e-5f, 1e-3f, 0.1f}) {
      for (const std::uint32_t now : {1u, 2u, 40u, 5000u}) {
        SCOPED_TRACE(testing::Message() << "l1 " << l1 << ", rate " << rate << ", steps " << now);
        Random random(now);
        const std::vector<Weight> weights = random_weights(random, 3 * kLine);
        Arrays arrays(weights, {0, 0, 0});
        Weights sum(weights.size());
        AdaGradArrays with_sum = arrays.get();
        with_sum.sum = sum.data();
        const Block all{.first = 0, .count = static_cast<FeatureId>(weights.size())};
        catch_up_lines({&all, 1}, now, {.eta = 1.0f, .rate = rate, .l1 = l1}, with_sum);
        for (std::size_t k = 0; k < weights.size(); ++k) {
          double w = static_cast<float>(weights[k].w), expected = 0.0;
          const double ratio = rate / std::max<double>(static_cast<float>(weights[k].root), kInitialRoot);
          for (std::uint32_t step = 0; step < now; ++step) {
            w = l1 ? std::copysign(std::max(0.0, std::abs(w) - ratio), w) : w / (1.0 + ratio);
            expected += w;
          }
          EXPECT_NEAR(sum[k], expected, 1e-4 * std::abs(expected) + 1e-4 * std::abs(weights[k].w));
        }
      }
    }
  }
}

// Steps are exact whatever was left undone when reading.
TEST(AdaGradKernels, AStepFirstDoesAllThatIsOwed) {
  for (const bool l1 : {false, true}) {
    Random random(8);
    const std::vector<Weight> weights = random_weights(random, kLine);
    std::vector<float> gradient(kLine, 0.25f);
    const std::vector<std::uint32_t> lines{0};
    Arrays late(weights, {3});
    step_lines(lines, 50, gradient.data(), {.eta = 0.1f, .rate = 1e-2f, .l1 = l1, .tolerance = 1.0f},
               late.get());
    Arrays exact(weights, {3});
    exact.catch_up(49, 1e-2f, l1);
    step_lines(lines, 50, gradient.data(), {.eta = 0.1f, .rate = 1e-2f, .l1 = l1}, exact.get());
    EXPECT_EQ(late.values(), exact.values());
    EXPECT_EQ(late.stamps[0], 50u);
  }
}

TEST(LineSum, IsTheSumOfItsGradientsAndListsTheLinesTheyTouch) {
  LineSum sum(100);
  Gradient first;
  first.add(3, 1.0f);
  first.add(3, 2.0f);
  first.values(20)[19] = 5.0f;
  first.add_row(30, 2.0f);  // weights 30 to 49
  Gradient second;
  std::ranges::fill(second.add_block(64, 16), 1.0f);
  sum.add(1.0, first);
  sum.add(-2.0, second);
  const auto at = [&](std::size_t id) {
    const auto place = std::ranges::find(sum.lines(), id / kLine) - sum.lines().begin();
    return sum.values(static_cast<std::size_t>(place))[id % kLine];
  };
  EXPECT_EQ(at(3), 3.0f);
  EXPECT_EQ(at(4), 0.0f);
  EXPECT_EQ(at(30), 0.0f);
  EXPECT_EQ(at(49), 10.0f);
  EXPECT_EQ(at(50), 0.0f);
  EXPECT_EQ(at(64), -2.0f);
  EXPECT_EQ(at(79), -2.0f);
  std::vector<std::uint32_t> lines(sum.lines().begin(), sum.lines().end());
  std::ranges::sort(lines);
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
  sum.clear();
  EXPECT_TRUE(sum.lines().empty());
  sum.add(1.0, second);
  EXPECT_EQ(at(70), 1.0f);
}

}  // namespace
}  // namespace hinge::test
