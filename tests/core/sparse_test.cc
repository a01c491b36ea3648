// Sparse vectors against dense ones. Values are multiples of 1/8, so that sums
// are exact in any order.
#include "hinge/core/sparse.h"

#include <gtest/gtest.h>

#include <numeric>

#include "hinge/core/random.h"

namespace hinge {
namespace {

constexpr std::size_t kDimension = 40;

using Dense = std::vector<double>;

float draw(Random& random) { return static_cast<float>(static_cast<int>(random.below(33)) - 16) / 8; }

SparseVector random_sparse(Random& random, std::size_t entries) {
  SparseVector v;
  for (std::size_t i = 0; i < entries; ++i)
    v.add(static_cast<FeatureId>(random.below(kDimension)), draw(random));
  return v;
}

Dense dense_of(const SparseVector& v) {
  Dense dense(kDimension, 0.0);
  for (const Entry& entry : v.entries()) dense[entry.id] += entry.value;
  return dense;
}

Dense dense_of(const Weights& w) { return Dense(w.span().begin(), w.span().end()); }

double dense_dot(const Dense& a, const Dense& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

Weights random_weights(Random& random) {
  Weights w(kDimension);
  for (float& value : w.span()) value = draw(random);
  return w;
}

TEST(SparseVector, MergeSortsSumsAndDropsWhatCancels) {
  SparseVector v;
  v.add(7, 1.0f);
  v.add(3, 2.0f);
  v.add(7, 0.5f);
  v.add(5, 1.25f);
  v.add(5, -1.25f);
  v.add(0, 0.0f);
  v.merge();
  ASSERT_EQ(v.size(), 2u);
  EXPECT_EQ(v.entries()[0], (Entry{3, 2.0f}));
  EXPECT_EQ(v.entries()[1], (Entry{7, 1.5f}));
}

TEST(SparseVector, MergeKeepsTheVectorAndLeavesIdsRising) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    SparseVector v = random_sparse(random, random.below(200));
    const Dense before = dense_of(v);
    v.merge();
    EXPECT_EQ(dense_of(v), before);
    for (std::size_t i = 0; i < v.size(); ++i) {
      EXPECT_NE(v.entries()[i].value, 0.0f);
      if (i > 0) {
        EXPECT_LT(v.entries()[i - 1].id, v.entries()[i].id);
      }
    }
    const std::vector<Entry> once(v.entries().begin(), v.entries().end());
    v.merge();
    EXPECT_EQ(std::vector<Entry>(v.entries().begin(), v.entries().end()), once);
  }
}

TEST(SparseVector, MergeGivesTheSameBitsWhateverTheOrderBefore) {
  Random random(11);
  for (int round = 0; round < 100; ++round) {
    std::vector<Entry> entries;
    for (int i = 0; i < 60; ++i)
      entries.push_back(
          {static_cast<FeatureId>(random.below(10)), static_cast<float>(random.uniform() - 0.5)});
    SparseVector a, b;
    for (const Entry& entry : entries) a.add(entry.id, entry.value);
    random.shuffle(std::span(entries));
    for (const Entry& entry : entries) b.add(entry.id, entry.value);
    a.merge();
    b.merge();
    ASSERT_EQ(std::vector<Entry>(a.entries().begin(), a.entries().end()),
              std::vector<Entry>(b.entries().begin(), b.entries().end()))
        << "seed 11, round " << round;
  }
}

TEST(SparseVector, MergesTheLargestIds) {
  SparseVector v;
  v.add(0xFFFFFFFFu, 1.0f);
  v.add(0, -1.0f);
  v.add(0xFFFFFFFFu, 2.0f);
  v.add(0x80000000u, -3.0f);
  v.merge();
  ASSERT_EQ(v.size(), 3u);
  EXPECT_EQ(v.entries()[0], (Entry{0, -1.0f}));
  EXPECT_EQ(v.entries()[1], (Entry{0x80000000u, -3.0f}));
  EXPECT_EQ(v.entries()[2], (Entry{0xFFFFFFFFu, 3.0f}));
}

TEST(SparseVector, AppendAddsAMultipleOfAnother) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    SparseVector a = random_sparse(random, random.below(20));
    const SparseVector b = random_sparse(random, random.below(20));
    Dense expected = dense_of(a);
    const Dense other = dense_of(b);
    for (std::size_t i = 0; i < kDimension; ++i) expected[i] -= 2 * other[i];
    a.append(b, -2.0f);
    EXPECT_EQ(dense_of(a), expected);
  }
}

TEST(SparseVector, DotWithWeightsNeedsNoMerge) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Weights w = random_weights(random);
    SparseVector v = random_sparse(random, random.below(100));
    const double expected = dense_dot(dense_of(w), dense_of(v));
    EXPECT_EQ(dot(w, v), expected);
    v.merge();
    EXPECT_EQ(dot(w, v), expected);
  }
}

TEST(SparseVector, AxpyAddsToTheWeightsAndNeedsNoMerge) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Weights w = random_weights(random);
    const SparseVector v = random_sparse(random, random.below(100));
    Dense expected = dense_of(w);
    const Dense other = dense_of(v);
    for (std::size_t i = 0; i < kDimension; ++i) expected[i] += -1.5 * other[i];
    axpy(-1.5, v, w);
    EXPECT_EQ(dense_of(w), expected);
  }
}

TEST(SparseVector, DotsAndNormsOfMergedVectorsAreThoseOfDenseOnes) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    SparseVector a = random_sparse(random, random.below(60));
    SparseVector b = random_sparse(random, random.below(8));
    a.merge();
    b.merge();
    EXPECT_EQ(dot(a, b), dense_dot(dense_of(a), dense_of(b)));
    EXPECT_EQ(dot(b, a), dot(a, b));
    EXPECT_EQ(squared_norm(a), dense_dot(dense_of(a), dense_of(a)));
    EXPECT_EQ(dot(a, a), squared_norm(a));
  }
}

TEST(SparseVector, SumsInDouble) {
  // In float, 2^24 + 1 is 2^24: the ones would vanish.
  Weights w(3);
  w[0] = 16777216.0f;
  w[1] = 1.0f;
  w[2] = -16777216.0f;
  SparseVector v;
  for (const FeatureId id : {0u, 1u, 2u}) v.add(id, 1.0f);
  EXPECT_EQ(dot(w, v), 1.0);
  SparseVector repeated;
  for (const float value : {16777216.0f, 1.0f, -16777216.0f}) repeated.add(4, value);
  repeated.merge();
  ASSERT_EQ(repeated.size(), 1u);
  EXPECT_EQ(repeated.entries()[0].value, 1.0f);
}

TEST(PackedVector, IsTheVectorItWasMadeOf) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    SparseVector v;
    for (std::size_t i = random.below(30); i > 0; --i) {
      constexpr float kValues[] = {1.0f, 1.0f, -1.0f, -1.0f, 0.5f, -2.0f};
      v.add(static_cast<FeatureId>(random.below(kDimension)), kValues[random.below(6)]);
    }
    v.merge();
    const PackedVector packed(v);
    EXPECT_EQ(packed.size(), v.size());
    EXPECT_EQ(packed.squared_norm(), squared_norm(v));
    Weights w = random_weights(random);
    EXPECT_EQ(dot(w, packed), dot(w, v));
    Weights expected = w;
    axpy(0.75, v, expected);
    axpy(0.75, packed, w);
    EXPECT_EQ(dense_of(w), dense_of(expected));
  }
}

TEST(PackedVector, ThatHoldsNothingIsZero) {
  Weights w(3);
  w[1] = 2.0f;
  const PackedVector empty;
  EXPECT_EQ(empty.size(), 0u);
  EXPECT_EQ(empty.squared_norm(), 0.0);
  EXPECT_EQ(dot(w, empty), 0.0);
  axpy(1.0, empty, w);
  EXPECT_EQ(dense_of(w), (Dense{0.0, 2.0, 0.0}));
  EXPECT_TRUE(empty == PackedVector(SparseVector{}));
}

}  // namespace
}  // namespace hinge
