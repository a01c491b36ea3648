#include "hinge/core/weights.h"

#include <gtest/gtest.h>

#include <numeric>
#include <utility>

namespace hinge {
namespace {

TEST(Weights, AreZeroAtFirstAndReadableBeyondTheirEnd) {
  for (const std::size_t dimension : {0, 1, 15, 1000}) {
    const Weights w(dimension);
    EXPECT_EQ(w.size(), dimension);
    EXPECT_EQ(w.span().size(), dimension);
    for (std::size_t i = 0; i < dimension + kReadableSlack; ++i) ASSERT_EQ(w.data()[i], 0.0f) << i;
  }
}

TEST(Weights, CopiesAreApart) {
  Weights a(5);
  std::iota(a.span().begin(), a.span().end(), -2.0f);
  Weights b = a;
  ASSERT_EQ(b.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(b[i], a[i]);
  b[0] = 100.0f;
  EXPECT_EQ(a[0], -2.0f);
  Weights c(2);
  c = a;
  EXPECT_EQ(c.size(), 5u);
  EXPECT_EQ(c[4], 2.0f);
  for (std::size_t i = 5; i < 5 + kReadableSlack; ++i) ASSERT_EQ(c.data()[i], 0.0f);
}

TEST(Weights, MoveWithTheirValues) {
  Weights a(3);
  a[1] = 4.0f;
  const Weights b = std::move(a);
  ASSERT_EQ(b.size(), 3u);
  EXPECT_EQ(b[1], 4.0f);
}

TEST(Weights, NormIsSummedInDouble) {
  Weights w(3);
  w[0] = 4096.0f;  // 2^24 squared
  w[1] = 1.0f;
  w[2] = -1.0f;
  EXPECT_EQ(squared_norm(w), 16777218.0);
  EXPECT_EQ(squared_norm(Weights(0)), 0.0);
}

}  // namespace
}  // namespace hinge
