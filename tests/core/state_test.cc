#include "hinge/core/state.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "hinge/core/random.h"
#include "hinge/core/sparse.h"

namespace hinge {
namespace {

class Saver final : public State {
 public:
  std::string bytes;

 protected:
  void transfer(void* from, std::size_t count) override {
    bytes.append(static_cast<const char*>(from), count);
  }
  bool loading() const override { return false; }
  std::uint64_t left() const override { return 0; }
  [[noreturn]] void refuse() const override { throw std::logic_error("refused while saving"); }
};

class Loader final : public State {
 public:
  explicit Loader(std::string_view bytes) : rest_(bytes) {}
  std::uint64_t left() const override { return rest_.size(); }

 protected:
  void transfer(void* to, std::size_t count) override {
    if (count > rest_.size()) refuse();
    if (count > 0) std::memcpy(to, rest_.data(), count);
    rest_.remove_prefix(count);
  }
  bool loading() const override { return true; }
  [[noreturn]] void refuse() const override { throw ModelError("refused"); }

 private:
  std::string_view rest_;
};

template <typename T>
std::string saved(T value) {
  Saver saver;
  saver(value);
  return saver.bytes;
}

// Loads into `into` and expects every byte to be read.
template <typename T>
T loaded(const std::string& bytes, T into = T()) {
  Loader loader(bytes);
  loader(into);
  EXPECT_EQ(loader.left(), 0u);
  return into;
}

template <typename T>
T through(const T& value, T into = T()) {
  return loaded(saved(value), std::move(into));
}

std::string length(std::uint64_t n) { return saved(n); }

template <typename T>
std::string bits(const ZeroedArray<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

enum class Color : std::uint8_t { kRed = 3, kBlue = 200 };

struct Inner {
  std::vector<double> values;
  std::optional<std::string> note;
  bool operator==(const Inner&) const = default;
  void visit(State& state) { state(values, note); }
};

struct Outer {
  std::int64_t count = 0;
  bool flag = false;
  Color color = Color::kRed;
  std::string text;
  std::vector<std::uint32_t> plain;
  std::vector<std::vector<float>> nested;
  std::vector<Inner> inners;
  std::vector<std::pair<std::string, double>> scores;
  std::optional<double> present;
  std::optional<Inner> absent;
  bool operator==(const Outer&) const = default;
  void visit(State& state) {
    state(count, flag, color, text, plain, nested, inners, scores, present, absent);
  }
};

Outer sample() {
  return {.count = -7,
          .flag = true,
          .color = Color::kBlue,
          .text = std::string("a\0b", 3),
          .plain = {0, 1, 0xffffffffu},
          .nested = {{1.5f}, {}, {-2.0f, 3.0f}},
          .inners = {{.values = {0.5}, .note = "x"}, {.values = {}, .note = std::nullopt}},
          .scores = {{"F1", 88.5}, {"", 0.0}},
          .present = 2.5,
          .absent = std::nullopt};
}

TEST(State, ScalarsComeBackToTheBit) {
  for (const double value : {0.0, -0.0, 0.1, -1e300, 5e-324, std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(through(value), value);
    EXPECT_EQ(std::signbit(through(value)), std::signbit(value));
  }
  EXPECT_TRUE(std::isnan(through(std::nan(""))));
  EXPECT_EQ(through(std::numeric_limits<std::int64_t>::min()), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(through(std::numeric_limits<std::uint64_t>::max()), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(through(true), true);
  EXPECT_EQ(through(false, true), false);
  EXPECT_EQ(through(Color::kBlue), Color::kBlue);
}

TEST(State, StringsComeBackWithWhateverBytesTheyHold) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  for (const std::string& text : {std::string(), std::string("x"), all, std::string(100000, '\0')}) {
    EXPECT_EQ(through(text), text);
    EXPECT_EQ(through(text, std::string("what was there before")), text);
  }
}

TEST(State, VectorsComeBackWhateverTheyHeldBefore) {
  using Nested = std::vector<std::vector<int>>;
  const Nested nested{{1, 2, 3}, {}, {4}};
  EXPECT_EQ(through(nested), nested);
  EXPECT_EQ(through(nested, Nested{{9, 9, 9, 9}, {9}, {}, {}, {9}}), nested);
  EXPECT_EQ(through(Nested(), nested), Nested());
  EXPECT_EQ(through(std::vector<int>(), std::vector<int>{1, 2}), std::vector<int>());
  const std::vector<std::string> words{"", "two", std::string(1, '\0')};
  EXPECT_EQ(through(words, std::vector<std::string>{"longer", "than", "it", "was"}), words);
}

TEST(State, OptionalsComeBackPresentOrAbsent) {
  using Maybe = std::optional<std::vector<std::string>>;
  const Maybe present = std::vector<std::string>{"a"};
  const Maybe empty = std::vector<std::string>();
  EXPECT_EQ(through(present), present);
  EXPECT_EQ(through(empty, present), empty);
  EXPECT_EQ(through(Maybe(), present), Maybe());
  using Twice = std::optional<std::optional<int>>;
  EXPECT_EQ(through(Twice(std::optional<int>())), Twice(std::optional<int>()));
  EXPECT_EQ(through(Twice(), Twice(5)), Twice());
  EXPECT_EQ(through(Twice(5)), Twice(5));
}

TEST(State, ObjectsComeBackMemberByMember) {
  EXPECT_EQ(through(sample()), sample());
  EXPECT_EQ(through(Outer(), sample()), Outer());
  EXPECT_EQ(through(sample().scores), sample().scores);
}

TEST(State, SparseVectorsComeBackInTheirOrder) {
  SparseVector v;
  for (const FeatureId id : {7u, 3u, 7u, 0xffffffffu}) v.add(id, static_cast<float>(id) / 3.0f);
  const SparseVector back = through(v);
  EXPECT_TRUE(std::ranges::equal(back.entries(), v.entries()));
  v.merge();
  EXPECT_EQ(through(PackedVector(v)), PackedVector(v));
}

TEST(State, RandomNumbersGoOnWhereTheyWere) {
  Random random(3);
  for (int k = 0; k < 1000; ++k) random.bits();
  Random other = through(random, Random(99));
  for (int k = 0; k < 1000; ++k) ASSERT_EQ(other.bits(), random.bits());
}

TEST(State, SavingChangesNothing) {
  Outer value = sample();
  Weights w(5000);
  w[4999] = -1.0f;
  const std::string before = bits(w);
  Random random(3);
  Random twin(3);
  Saver saver;
  saver(value, w, random);
  EXPECT_EQ(value, sample());
  EXPECT_EQ(bits(w), before);
  EXPECT_EQ(random.bits(), twin.bits());
}

// Sizes and positions around multiples of 1024, the unit in which zeros are left out.
TEST(State, ArraysComeBackFromAnySizeWithValuesAnywhere) {
  for (const std::size_t size : {0, 1, 2, 1023, 1024, 1025, 2047, 2048, 2049, 5000}) {
    for (const std::size_t at : {0, 1, 1022, 1023, 1024, 2047, 2048, 4999}) {
      SCOPED_TRACE(::testing::Message() << size << " values, one at " << at);
      Weights w(size);
      if (at < size) w[at] = 1e-30f;
      EXPECT_EQ(bits(through(w)), bits(w));
      Weights other(size);
      for (float& value : other.span()) value = 5.0f;
      EXPECT_EQ(bits(through(w, other)), bits(w));
      EXPECT_EQ(bits(through(w, Weights(7))), bits(w));
    }
  }
}

TEST(State, MinusZeroComesBackAndIsCopied) {
  Weights w(3000);
  w[1500] = -0.0f;
  EXPECT_EQ(bits(through(w)), bits(w));
  EXPECT_EQ(bits(through(Weights(3000), w)), bits(Weights(3000)));
  EXPECT_EQ(bits(Weights(w)), bits(w));
}

TEST(State, ArraysOfOtherTypesComeBack) {
  ZeroedArray<std::uint32_t> counts(3000);
  counts[2999] = 1;
  ZeroedArray<double> sums(3000);
  sums[0] = std::nan("");
  sums[1500] = -1e-300;
  EXPECT_EQ(bits(through(counts)), bits(counts));
  EXPECT_EQ(bits(through(sums)), bits(sums));
}

TEST(State, LongStretchesOfZerosTakeNoRoom) {
  Weights w(10'000'000);
  w[0] = 1.0f;
  w[9'999'999] = 2.0f;
  const std::string bytes = saved(w);
  EXPECT_LT(bytes.size(), 30'000u);
  const Weights back = loaded<Weights>(bytes);
  ASSERT_EQ(back.size(), w.size());
  EXPECT_EQ(back[0], 1.0f);
  EXPECT_EQ(back[9'999'999], 2.0f);
  EXPECT_EQ(squared_norm(back), 5.0);
}

TEST(State, InputCutAnywhereIsRefused) {
  Weights w(3000);
  w[5] = w[2500] = 1.0f;
  Outer value = sample();
  Saver saver;
  saver(value, w);
  for (std::size_t size = 0; size < saver.bytes.size(); ++size) {
    Loader loader(std::string_view(saver.bytes).substr(0, size));
    Outer into;
    Weights weights;
    EXPECT_THROW(loader(into, weights), ModelError) << "cut to " << size << " bytes";
  }
}

TEST(State, LengthsThatLieAreRefusedBeforeAnythingIsAllocated) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  for (const std::uint64_t lie :
       {std::uint64_t{9}, std::uint64_t{1} << 40, most / sizeof(double) + 1, most / 2 + 1, most - 63, most}) {
    SCOPED_TRACE(lie);
    const std::string bytes = length(lie) + std::string(8, '\0');
    EXPECT_THROW(loaded<std::string>(bytes), ModelError);
    EXPECT_THROW(loaded<std::vector<double>>(bytes), ModelError);
    EXPECT_THROW(loaded<std::vector<std::uint8_t>>(bytes), ModelError);
    EXPECT_THROW(loaded<std::vector<std::string>>(bytes), ModelError);
    EXPECT_THROW(loaded<std::vector<Inner>>(bytes), ModelError);
    EXPECT_THROW(loaded<std::optional<std::string>>('\1' + bytes), ModelError);
  }
  for (const std::uint64_t lie : {std::uint64_t{9 * 1024}, std::uint64_t{1} << 40, most / 4 + 1, most}) {
    SCOPED_TRACE(lie);
    EXPECT_THROW(loaded<Weights>(length(lie) + std::string(8, '\0')), ModelError);
    EXPECT_THROW(loaded<ZeroedArray<double>>(length(lie) + std::string(8, '\0')), ModelError);
  }
}

// Large in memory, small in the file.
struct Bulky {
  Bulky() { ++made; }
  std::string text;
  std::array<char, 4096> bulk{};
  void visit(State& state) { state(text); }
  static inline std::size_t made = 0;
};

TEST(State, MemoryGrowsWithWhatIsReadNotWithWhatIsPromised) {
  Bulky::made = 0;
  const std::string two = length(0) + length(0);
  EXPECT_THROW(loaded<std::vector<Bulky>>(length(100'000) + two + std::string(100'000, '\xff')), ModelError);
  EXPECT_LT(Bulky::made, 10u);
}

TEST(State, ABoolThatIsNeitherIsRefused) {
  for (int byte = 0; byte < 256; ++byte) {
    const std::string bytes(1, static_cast<char>(byte));
    if (byte < 2) {
      EXPECT_EQ(loaded<bool>(bytes), byte == 1);
    } else {
      EXPECT_THROW(loaded<bool>(bytes), ModelError) << byte;
      EXPECT_THROW(loaded<std::optional<bool>>(bytes + '\1'), ModelError) << byte;
    }
  }
}

TEST(State, AnyDamagedByteIsRefusedOrLoadedButNeverAnythingElse) {
  const std::string bytes = saved(sample());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << bit));
      Loader loader(damaged);
      Outer into;
      try {
        loader(into);
      } catch (const ModelError&) {
        continue;
      }
    }
  }
}

}  // namespace
}  // namespace hinge
