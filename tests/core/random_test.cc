// The same seed gives the same numbers everywhere. The values below come from
// the published definition of the 64-bit Mersenne twister, not from this code.
#include "hinge/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace hinge {
namespace {

TEST(Random, IsTheMersenneTwisterOfTheStandard) {
  Random random(5489);
  EXPECT_EQ(random.bits(), 14514284786278117030u);
  for (int i = 2; i < 10000; ++i) random.bits();
  EXPECT_EQ(random.bits(), 9981545732273789042u);  // the 10000th, as the C++ standard requires
}

TEST(Random, DrawsTheSameNumbersOnEveryPlatform) {
  Random bits(1), below(1), uniform(1), shuffled(1);
  for (const std::uint64_t expected : {2469588189546311528u, 2516265689700432462u, 8323445853463659930u})
    EXPECT_EQ(bits.bits(), expected);
  for (const std::uint64_t expected : {133, 136, 451, 21, 350, 911, 470, 74, 569, 635, 89, 556})
    EXPECT_EQ(below.below(1000), expected);
  for (const double expected : {0x1.122deafddb434p-3, 0x1.175c928118c7cp-3, 0x1.ce0b479deb990p-2})
    EXPECT_EQ(uniform.uniform(), expected);
  std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  shuffled.shuffle(std::span(values));
  EXPECT_EQ(values, (std::vector<int>{5, 7, 6, 8, 4, 2, 0, 3, 9, 1}));
}

TEST(Random, BelowStaysInRangeAndReachesAllOfIt) {
  Random random(2);
  for (const std::uint64_t n : {1, 2, 3, 7, 10}) {
    std::vector<int> seen(n, 0);
    for (int i = 0; i < 1000; ++i) {
      const std::uint64_t drawn = random.below(n);
      ASSERT_LT(drawn, n) << "seed 2";
      ++seen[drawn];
    }
    // Each count has mean 1000 / n and a standard deviation below sqrt(1000 / n).
    for (const int count : seen)
      EXPECT_NEAR(count, 1000.0 / static_cast<double>(n), 6 * std::sqrt(1000.0 / static_cast<double>(n)))
          << "seed 2, n " << n;
  }
  for (int i = 0; i < 1000; ++i) ASSERT_LT(random.below(~0ull), ~0ull);
}

TEST(Random, UniformLiesInTheUnitIntervalAndFillsIt) {
  Random random(3);
  double low = 1.0, high = 0.0, sum = 0.0;
  for (int i = 0; i < 10000; ++i) {
    const double drawn = random.uniform();
    ASSERT_GE(drawn, 0.0) << "seed 3";
    ASSERT_LT(drawn, 1.0) << "seed 3";
    low = std::min(low, drawn);
    high = std::max(high, drawn);
    sum += drawn;
  }
  EXPECT_LT(low, 0.01);
  EXPECT_GT(high, 0.99);
  EXPECT_NEAR(sum / 10000, 0.5, 0.02);
}

TEST(Random, ShuffleIsAPermutation) {
  for (std::size_t size = 0; size < 50; ++size) {
    Random random(size);
    std::vector<std::size_t> values(size);
    std::iota(values.begin(), values.end(), 0);
    const std::vector<std::size_t> sorted = values;
    random.shuffle(std::span(values));
    EXPECT_TRUE(std::is_permutation(values.begin(), values.end(), sorted.begin())) << "seed " << size;
  }
}

TEST(Random, ShuffleReachesEveryOrderAboutEquallyOften) {
  Random random(4);
  std::vector<int> count(6, 0);
  for (int i = 0; i < 6000; ++i) {
    std::vector<int> values = {0, 1, 2};
    random.shuffle(std::span(values));
    ++count[values[0] * 2 + (values[1] > values[2])];
  }
  for (const int c : count) EXPECT_NEAR(c, 1000, 200) << "seed 4";
}

TEST(ScaleTo, MapsAllNumbersOntoTheRangeInOrder) {
  EXPECT_EQ(scale_to(0, 10), 0u);
  EXPECT_EQ(scale_to(~0ull, 10), 9u);
  EXPECT_EQ(scale_to(1ull << 63, 10), 5u);
  EXPECT_EQ(scale_to(~0ull, 1), 0u);
  EXPECT_EQ(scale_to(~0ull, ~0ull), ~0ull - 1);
  Random random(5);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t a = random.bits(), b = random.bits(), n = random.bits() >> random.below(64);
    if (n == 0) continue;
    ASSERT_LT(scale_to(a, n), n) << "seed 5";
    ASSERT_EQ(a < b && scale_to(a, n) > scale_to(b, n), false) << "seed 5";
  }
}

}  // namespace
}  // namespace hinge
