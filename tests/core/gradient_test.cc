#include "hinge/core/gradient.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <deque>
#include <set>
#include <string>
#include <utility>

#include "hinge/core/random.h"

namespace hinge {
namespace {

float random_value(Random& random) { return static_cast<float>(random.uniform() * 4.0 - 2.0); }

Weights random_weights(std::size_t dimension, Random& random) {
  Weights w(dimension);
  for (float& value : w.span()) value = random_value(random);
  return w;
}

std::string bits(const Weights& w) {
  // Includes the readable slack beyond the end, where another array may be.
  return {reinterpret_cast<const char*>(w.data()), (w.size() + kReadableSlack) * sizeof(float)};
}

// A Gradient and the same sum as a dense vector of doubles.
class Pair {
 public:
  explicit Pair(std::size_t dimension) : dense_(dimension), size_(dimension), terms_(dimension) {}

  Gradient& sum() { return sum_; }
  const Gradient& sum() const { return sum_; }

  void values(std::size_t count, Random& random) {
    values_.clear();
    for (float& value : sum_.values(count)) {
      EXPECT_EQ(value, 0.0f) << "values are zero at first";
      values_.push_back(value = random_value(random));
    }
  }
  void row(FeatureId first, float scale) {
    sum_.add_row(first, scale);
    write(first, scale);
  }
  void plain_row(FeatureId first) {
    sum_.add_row(first);
    write(first, 1.0f);
  }
  void rows(const std::vector<std::uint32_t>& ids, FeatureId width, const std::vector<float>* scales) {
    ids_.push_back(ids);
    if (scales != nullptr) scales_.push_back(*scales);
    sum_.add_rows(ids_.back(), width, scales == nullptr ? nullptr : scales_.back().data());
    for (std::size_t k = 0; k < ids.size(); ++k)
      write(ids[k] * width, scales == nullptr ? 1.0f : (*scales)[k]);
  }
  void single(FeatureId id, float value) {
    sum_.add(id, value);
    add(id, value);
  }

  void expect_added(double scale, const Weights& before) const {
    Weights after = before;
    sum_.add_to(scale, after);
    for (std::size_t id = 0; id < dense_.size(); ++id) {
      const double expected = before[id] + scale * dense_[id];
      // One rounding error per term added.
      const double tolerance =
          1e-7 * (terms_[id] + 1.0) * (std::abs(before[id]) + std::abs(scale) * size_[id]);
      ASSERT_NEAR(after[id], expected, tolerance) << "weight " << id;
      if (terms_[id] == 0.0) {
        ASSERT_EQ(std::bit_cast<std::uint32_t>(after[id]), std::bit_cast<std::uint32_t>(before[id])) << id;
      }
    }
    for (std::size_t k = 0; k < kReadableSlack; ++k) ASSERT_EQ(after.data()[after.size() + k], 0.0f);
  }

 private:
  void write(FeatureId first, double scale) {
    for (std::size_t k = 0; k < values_.size(); ++k) add(first + k, scale * values_[k]);
  }
  void add(std::size_t id, double value) {
    dense_.at(id) += value;
    size_[id] += std::abs(value);
    terms_[id] += 1.0;
  }

  Gradient sum_;
  std::vector<float> values_;                   // of the current group
  std::deque<std::vector<std::uint32_t>> ids_;  // borrowed by sum_
  std::deque<std::vector<float>> scales_;
  std::vector<double> dense_;
  std::vector<double> size_;  // sum of the absolute values added
  std::vector<double> terms_;
};

std::vector<std::uint32_t> random_ids(std::size_t n, std::size_t below, Random& random) {
  std::vector<std::uint32_t> ids(n);
  for (std::uint32_t& id : ids) id = static_cast<std::uint32_t>(random.below(below));
  return ids;
}

std::vector<float> random_values(std::size_t n, Random& random) {
  std::vector<float> values(n);
  for (float& value : values) value = random_value(random);
  return values;
}

constexpr std::size_t kRows = 500;  // singles come after them

// Everything a sum may hold, with rows of `count` values every `width` weights.
void fill(Pair& pair, std::size_t count, std::size_t width, std::uint64_t seed) {
  Random random(seed);
  const auto step = static_cast<FeatureId>(width);
  for (const std::size_t n : {1, 3, 63, 64, 65, 127, 128, 129, 300}) {
    pair.values(count, random);
    const std::vector<std::uint32_t> ids = random_ids(n, kRows, random);
    const std::vector<float> scales = random_values(n, random);
    pair.rows(ids, step, n % 3 == 0 ? nullptr : &scales);
    pair.rows({}, step, nullptr);
    if (n % 2 == 1) continue;
    for (int k = 0; k < 5; ++k)
      pair.row(step * static_cast<FeatureId>(random.below(kRows)), random_value(random));
    pair.plain_row(0);
    pair.rows(random_ids(2, kRows, random), step, nullptr);  // own rows, then borrowed, then own
    pair.row(step * static_cast<FeatureId>(kRows - 1), random_value(random));
  }
  pair.values(count, random);  // a group without rows
  pair.values(count, random);
  for (std::uint32_t k = 0; k < 200; ++k) pair.plain_row(step * (k % kRows));  // many own rows in a group
  for (int k = 0; k < 50; ++k) {
    const auto id = static_cast<FeatureId>(kRows * width + random.below(300));
    pair.single(id, random_value(random));
  }
}

const std::vector<std::pair<std::size_t, std::size_t>> kShapes = {
    {1, 1},   {2, 2},   {3, 3},   {3, 5},   {7, 7},   {8, 8},   {9, 9},
    {15, 16}, {16, 16}, {17, 17}, {17, 20}, {31, 31}, {45, 45}, {129, 130}};

TEST(Gradient, AddsWhatADenseSumInDoubleDoes) {
  for (const auto& [count, width] : kShapes) {
    for (const double scale : {1.0, -1.0, 0.37, 0.0}) {
      SCOPED_TRACE(::testing::Message() << count << " values every " << width << ", scale " << scale);
      Pair pair(kRows * width + 300);
      fill(pair, count, width, count);
      Random random(5);
      pair.expect_added(scale, Weights(kRows * width + 300));
      pair.expect_added(scale, random_weights(kRows * width + 300, random));
    }
  }
}

TEST(Gradient, ItsPartsAddUpToItselfToTheBit) {
  for (const auto& [count, width] : kShapes) {
    Pair pair(kRows * width + 300);
    fill(pair, count, width, 100 + count);
    Random random(5);
    const Weights before = random_weights(kRows * width + 300, random);
    Weights whole = before;
    pair.sum().add_to(-0.3, whole);
    for (const std::size_t parts : {1, 2, 4, 8, 64}) {
      SCOPED_TRACE(::testing::Message() << count << " values every " << width << ", " << parts << " parts");
      Weights upwards = before;
      Weights downwards = before;
      for (std::size_t part = 0; part < parts; ++part) {
        pair.sum().add_slice(-0.3, part, parts, upwards);
        pair.sum().add_slice(-0.3, parts - 1 - part, parts, downwards);
      }
      EXPECT_EQ(bits(upwards), bits(whole));
      EXPECT_EQ(bits(downwards), bits(whole));
    }
  }
}

TEST(Gradient, NoTwoPartsTouchTheSameWeight) {
  for (const auto& [count, width] : kShapes) {
    SCOPED_TRACE(::testing::Message() << count << " values every " << width);
    const std::size_t dimension = kRows * width + 300;
    Pair pair(dimension);
    fill(pair, count, width, 200 + count);
    constexpr std::size_t kParts = 8;
    std::vector<int> owners(dimension, 0);
    std::set<std::size_t> busy;
    for (std::size_t part = 0; part < kParts; ++part) {
      Weights w(dimension);
      pair.sum().add_slice(1.0, part, kParts, w);
      for (std::size_t id = 0; id < dimension; ++id) {
        if (w[id] == 0.0f) continue;
        ++owners[id];
        busy.insert(part);
      }
    }
    for (std::size_t id = 0; id < dimension; ++id) ASSERT_LE(owners[id], 1) << id;
    if (width >= 16) {
      EXPECT_EQ(busy.size(), kParts) << "some thread has nothing to do";
    }
  }
}

TEST(Gradient, LeavesTheNeighboursOfARowAlone) {
  for (std::size_t count = 0; count <= 40; ++count) {
    for (const FeatureId first : {0u, 1u, 100u, static_cast<FeatureId>(200 - count)}) {
      SCOPED_TRACE(::testing::Message() << count << " values at " << first);
      Gradient sum;
      for (float& value : sum.values(count)) value = 1.0f;
      sum.add_row(first, 0.5f);
      Weights w(200);
      // Adding zero would change -0, so untouched weights are noticed.
      for (float& value : w.span()) value = -0.0f;
      sum.add_to(1.0, w);
      for (std::size_t id = 0; id < 200; ++id) {
        const bool inside = id >= first && id < first + count;
        ASSERT_EQ(w[id], inside ? 0.5f : 0.0f) << id;
        ASSERT_EQ(std::signbit(w[id]), !inside) << id;
      }
      for (std::size_t k = 0; k < kReadableSlack; ++k) ASSERT_EQ(w.data()[200 + k], 0.0f);
    }
  }
}

TEST(Gradient, WithoutRowsAddsNothing) {
  Random random(3);
  const Weights before = random_weights(50, random);
  Gradient sum;
  Weights w = before;
  sum.add_to(1.0, w);
  EXPECT_EQ(bits(w), bits(before));
  sum.values(5)[2] = 1.0f;
  sum.values(0);
  sum.add_row(7);
  sum.add_rows({}, 5, nullptr);
  for (const std::size_t parts : {1, 4}) {
    for (std::size_t part = 0; part < parts; ++part) sum.add_slice(2.0, part, parts, w);
  }
  EXPECT_EQ(bits(w), bits(before));
}

TEST(Gradient, RowsOfAGroupWithoutValuesDoNotJoinTheNextGroup) {
  Gradient sum;
  sum.values(0);
  sum.add_row(3);
  sum.values(2)[0] = 1.0f;
  sum.add_row(10);
  Weights w(20);
  sum.add_to(1.0, w);
  EXPECT_EQ(squared_norm(w), 1.0);
  EXPECT_EQ(w[10], 1.0f);
}

TEST(Gradient, TheSameWeightMayBeGivenManyTimes) {
  Gradient sum;
  sum.values(3)[1] = 1.0f;
  const std::vector<std::uint32_t> ids(1000, 2);
  sum.add_rows(ids, 3, nullptr);
  for (int k = 0; k < 1000; ++k) sum.add_row(6, 2.0f);
  for (int k = 0; k < 10; ++k) sum.add(0, 0.5f);
  Weights w(12);
  sum.add_to(1.0, w);
  EXPECT_EQ(w[7], 3000.0f);
  EXPECT_EQ(w[0], 5.0f);
  EXPECT_EQ(squared_norm(w), 3000.0 * 3000.0 + 25.0);
}

TEST(Gradient, ClearedItIsAsGoodAsNew) {
  Random random(7);
  Gradient used;
  for (int round = 0; round < 3; ++round) {
    const std::size_t count = round == 1 ? 20 : 6;
    used.clear();
    Weights untouched(400);
    used.add_to(1.0, untouched);
    EXPECT_EQ(squared_norm(untouched), 0.0);
    Gradient fresh;
    const std::vector<std::uint32_t> ids = random_ids(100, 10, random);
    const std::vector<float> scales = random_values(100, random);
    const std::vector<float> values = random_values(count, random);
    for (Gradient* sum : {&used, &fresh}) {
      const std::span<float> room = sum->values(count);
      for (const float value : room) EXPECT_EQ(value, 0.0f);
      std::ranges::copy(values, room.begin());
      sum->add_row(300, 0.25f);
      sum->add_rows(ids, 30, scales.data());
      sum->add_row(330, -0.25f);
      sum->add(399, 1.0f);
    }
    Weights expected(400);
    Weights found(400);
    fresh.add_to(0.7, expected);
    used.add_to(0.7, found);
    EXPECT_EQ(bits(found), bits(expected));
  }
}

TEST(Gradient, MayBeAddedMoreThanOnce) {
  Pair pair(kRows * 5 + 300);
  fill(pair, 5, 5, 9);
  Weights once(kRows * 5 + 300);
  pair.sum().add_to(1.0, once);
  pair.sum().add_to(-1.0, once);
  // Each weight is back at its start, up to rounding.
  for (std::size_t id = 0; id < once.size(); ++id) EXPECT_NEAR(once[id], 0.0, 1e-4) << id;
  Weights again(kRows * 5 + 300);
  Weights first(kRows * 5 + 300);
  pair.sum().add_to(0.5, again);
  pair.sum().add_to(0.5, first);
  EXPECT_EQ(bits(again), bits(first));
}

// Singles, rows and blocks, and their dense sum in double.
struct Mixture {
  explicit Mixture(std::uint64_t seed) : dense(kSize) {
    Random random(seed);
    const auto small = [&random] { return static_cast<float>(random.below(7)) - 3.0f; };
    for (int k = 0; k < 8; ++k) {
      const auto id = static_cast<FeatureId>(random.below(16));
      const float value = small();
      gradient.add(id, value);
      dense[id] += value;
    }
    for (int group = 0; group < 2; ++group) {
      std::vector<float> values;
      for (float& value : gradient.values(4)) values.push_back(value = small());
      for (int row = 0; row < 3; ++row) {
        const auto first = static_cast<FeatureId>(16 + 4 * random.below(4));
        const float scale = small();
        gradient.add_row(first, scale);
        for (std::size_t k = 0; k < 4; ++k) dense[first + k] += scale * values[k];
      }
    }
    for (const FeatureId first : {32u, 64u}) {
      std::size_t k = first;
      for (float& value : gradient.add_block(first, 16)) {
        EXPECT_EQ(value, 0.0f);
        dense[k++] = value = small();
      }
    }
  }

  static constexpr std::size_t kSize = 80;
  Gradient gradient;
  std::vector<double> dense;
};

TEST(Gradient, OfSinglesRowsAndBlocksIsTheirSum) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Mixture a(seed), b(seed + 100);
    Random random(seed);
    const Weights w = random_weights(Mixture::kSize, random);
    double score = 0.0, norm = 0.0, product = 0.0;
    for (std::size_t k = 0; k < Mixture::kSize; ++k) {
      score += w[k] * a.dense[k];
      norm += a.dense[k] * a.dense[k];
      product += a.dense[k] * b.dense[k];
    }
    EXPECT_NEAR(dot(w, a.gradient), score, 1e-5);
    Weights sum(Mixture::kSize);
    axpy(2.0, a.gradient, sum);
    for (std::size_t k = 0; k < Mixture::kSize; ++k) EXPECT_EQ(sum[k], 2.0 * a.dense[k]);
    a.gradient.merge();
    b.gradient.merge();
    EXPECT_NEAR(dot(w, a.gradient), score, 1e-5);
    EXPECT_EQ(squared_norm(a.gradient), norm);
    EXPECT_EQ(dot(a.gradient, b.gradient), product);
    const SparseVector all = to_sparse(a.gradient);
    EXPECT_EQ(squared_norm(all), norm);
    EXPECT_EQ(to_packed(a.gradient).squared_norm(), norm);
    EXPECT_NEAR(dot(w, to_packed(a.gradient)), score, 1e-5);
  }
}

TEST(Gradient, MergedHasSinglesInOrderWithoutZerosAndItsBlocks) {
  Gradient g;
  g.add(9, 1.0f);
  g.add(2, 3.0f);
  g.add(9, -1.0f);
  g.values(2)[1] = 4.0f;
  g.add_row(4);
  g.add_block(16, 16)[3] = 1.0f;
  EXPECT_FALSE(g.empty());
  g.merge();
  ASSERT_EQ(g.entries().size(), 2u);
  EXPECT_EQ(g.entries()[0], (Entry{2, 3.0f}));
  EXPECT_EQ(g.entries()[1], (Entry{5, 4.0f}));
  std::size_t blocks = 0;
  g.each_block([&](FeatureId first, std::span<const float> values) {
    ++blocks;
    EXPECT_EQ(first, 16u);
    EXPECT_EQ(values[3], 1.0f);
  });
  EXPECT_EQ(blocks, 1u);
  g.clear();
  EXPECT_TRUE(g.empty());
}

}  // namespace
}  // namespace hinge
