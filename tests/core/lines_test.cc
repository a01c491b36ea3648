#include "hinge/core/lines.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hinge/core/random.h"

namespace hinge {
namespace {

constexpr std::size_t kDimension = 20 * kLine + 3;  // the last line is not full

// Most lines are zero; a random one of the others is touched.
Weights random_weights(Random& random) {
  Weights w(kDimension);
  for (int k = 0; k < 12; ++k) w[random.below(kDimension)] = static_cast<float>(random.below(100)) - 50.0f;
  return w;
}

LineVector lines_of(Weights w) { return take_lines(w); }

Weights dense(const LineVector& v) {
  Weights w(kDimension);
  axpy(1.0, v, w);
  return w;
}

TEST(LineVector, HoldsAllValuesOfItsLinesInOrder) {
  Weights w(kDimension);
  w[5] = 1.0f;
  w[kDimension - 1] = 2.0f;
  const LineVector v = take_lines(w);
  ASSERT_EQ(v.lines().size(), 2u);
  EXPECT_EQ(v.lines()[0], 0u);
  EXPECT_EQ(v.lines()[1], 20u);
  EXPECT_EQ(w[5], 0.0f);
  EXPECT_EQ(w[kDimension - 1], 0.0f);
  std::vector<std::size_t> ids;
  v.each_line(kDimension, [&](std::size_t first, const float*, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k) ids.push_back(first + k);
  });
  EXPECT_EQ(ids.size(), kLine + 3);  // none past the end
  EXPECT_EQ(ids.back(), kDimension - 1);
}

TEST(LineVector, KeepsMinusZero) {
  Weights w(kDimension);
  w[kLine] = -0.0f;
  const LineVector v = take_lines(w);
  ASSERT_EQ(v.lines().size(), 1u);
  EXPECT_EQ(v.lines()[0], 1u);
}

TEST(LineVector, SumEqualsTheDenseSum) {
  Random random(3);
  for (int time = 0; time < 200; ++time) {
    const Weights a = random_weights(random), b = random_weights(random);
    LineVector sum = lines_of(a);
    sum.add(lines_of(b));
    const Weights total = dense(sum);
    for (std::size_t id = 0; id < kDimension; ++id) ASSERT_EQ(total[id], a[id] + b[id]) << id;
    for (std::size_t k = 1; k < sum.lines().size(); ++k) ASSERT_LT(sum.lines()[k - 1], sum.lines()[k]);
  }
}

TEST(LineVector, AddsNothingToAndFromNothing) {
  Random random(4);
  const Weights w = random_weights(random);
  LineVector left = lines_of(w), right;
  left.add(LineVector());
  right.add(lines_of(w));
  for (std::size_t id = 0; id < kDimension; ++id) {
    EXPECT_EQ(dense(left)[id], w[id]);
    EXPECT_EQ(dense(right)[id], w[id]);
  }
}

TEST(LineVector, FindsWhereLinesBegin) {
  LineVector v;
  v.push(3);
  v.push(7);
  EXPECT_EQ(v.find(0), 0u);
  EXPECT_EQ(v.find(3), 0u);
  EXPECT_EQ(v.find(4), 1u);
  EXPECT_EQ(v.find(8), 2u);
}

TEST(TouchedLines, AreTakenOnceInOrder) {
  TouchedLines touched(100 * kLine);
  touched.mark(static_cast<FeatureId>(70 * kLine));
  touched.mark(static_cast<FeatureId>(2 * kLine + 1), 2 * kLine);  // three lines
  touched.mark(static_cast<FeatureId>(70 * kLine + 1));
  std::vector<std::uint32_t> lines;
  const auto take = [&] { touched.take([&](std::uint32_t line) { lines.push_back(line); }); };
  take();
  EXPECT_EQ(lines, (std::vector<std::uint32_t>{2, 3, 4, 70}));
  take();
  EXPECT_EQ(lines.size(), 4u);
}

}  // namespace
}  // namespace hinge
