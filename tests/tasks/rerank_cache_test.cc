// Lists and pairs of a cache: whatever its bytes are, either the check refuses them or all is safe to read.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "hinge/core/random.h"
#include "hinge/tasks/rerank/compiled.h"
#include "hinge/tasks/rerank/task.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

using rerank::ListParts;

// Lists as a cache gives them.
class RerankCache : public testing::Test {
 protected:
  ListParts compiled(std::int64_t pairs) const {
    rerank::RerankOptions options;
    options.cost = "lm";
    options.pairs = pairs;
    const std::string text = folder_.write("lists", sample_text("rerank", 20, 1));
    const std::string path = folder_.path("cache");
    SpillSpace space(path, 1 << 20);
    ListParts parts = rerank::read_parts(text, options, {}, *metric_, nullptr, &space);
    parts.fingerprint = 1;
    BlockCacheWriter out(path, Json().set("task", "rerank"));
    rerank::write_parts(parts, out);
    return rerank::open_parts(BlockCache::open(path, 100 << 20), options);
  }
  static bool is_sound(const ListParts& parts) {
    return rerank::is_sound(parts, 0, parts.pairs.size() > 0 ? parts.pairs.size() : parts.list_count);
  }
  // Whether it is with this array changed, or else read_all() reads it.
  template <typename T, typename Harm>
  bool is_refused(ListParts& parts, std::span<const T>& array, const Harm& harm) const {
    std::vector<T> copy(array.begin(), array.end());
    harm(copy);
    const auto before = std::exchange(array, copy);
    const bool sound = is_sound(parts);
    if (sound) read_all(rerank::RerankTask(parts.lists, parts.costs, *metric_, parts.names.size(), {}));
    array = before;
    return !sound;
  }
  static void read_all(const Task& task) {
    Weights w(task.dimension());
    for (std::size_t d = 0; d < w.size(); ++d) w[d] = d % 2 == 0 ? 0.5f : -0.25f;
    const auto scratch = task.make_scratch();
    for (std::size_t i = 0; i < task.size(); ++i) {
      Cut cut;
      task.most_violated(i, w, 1.0, *scratch, cut);
      std::vector<Block> blocks;
      task.support(i, *scratch, blocks);
      for (const Block& block : blocks) EXPECT_LT(block.first, task.dimension());
    }
  }

  TemporaryFolder folder_;
  std::unique_ptr<Metric> metric_ = make_metric("bleu");
};

constexpr auto kFlipByte = [](Random& random) {
  return [&random](auto& values) {
    auto* bytes = reinterpret_cast<unsigned char*>(values.data());
    bytes[random.below(values.size() * sizeof(values[0]))] = static_cast<unsigned char>(random.below(256));
  };
};

TEST_F(RerankCache, TrustsNoIndexOfLists) {
  ListParts parts = compiled(0);
  ASSERT_TRUE(is_sound(parts));
  NBestLists& lists = parts.lists;
  EXPECT_TRUE(is_refused(parts, lists.list_begin, [](auto& v) { v[1] = v[0]; })) << "an empty list";
  EXPECT_TRUE(is_refused(parts, lists.list_begin, [](auto& v) { v.back() += 1; }));
  EXPECT_TRUE(is_refused(parts, lists.row_begin, [](auto& v) { v[3] = 1u << 30; }));
  EXPECT_TRUE(is_refused(parts, lists.features, [](auto& v) { v[0] = 1u << 30; }));
  EXPECT_TRUE(is_refused(parts, lists.features, [](auto& v) { v[1] = v[0]; })) << "a feature twice";
  EXPECT_TRUE(
      is_refused(parts, lists.values, [](auto& v) { v[0] = std::numeric_limits<float>::infinity(); }));
  parts.costs.costs = Column<float>(parts.costs.costs);
  parts.costs.costs[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(is_sound(parts));
}

TEST_F(RerankCache, ListsAreSafeToReadOnceTheyAreChecked) {
  ListParts parts = compiled(0);
  NBestLists& lists = parts.lists;
  Random random(1);
  std::size_t refused = 0;
  constexpr std::size_t kRounds = 200;
  for (std::size_t round = 0; round < kRounds; ++round) {
    refused += is_refused(parts, lists.list_begin, kFlipByte(random));
    refused += is_refused(parts, lists.row_begin, kFlipByte(random));
    refused += is_refused(parts, lists.features, kFlipByte(random));
    refused += is_refused(parts, lists.values, kFlipByte(random));
  }
  EXPECT_GT(refused, kRounds);
  EXPECT_LT(refused, 4 * kRounds);
}

TEST_F(RerankCache, PairsAreSafeToReadOnceTheyAreChecked) {
  ListParts parts = compiled(10);
  ASSERT_GT(parts.pairs.size(), 20u);
  ASSERT_TRUE(is_sound(parts));
  const rerank::PairData good = std::exchange(parts.pairs, rerank::PairData());
  Random random(1);
  std::size_t refused = 0, read = 0;
  for (int round = 0; round < 400; ++round) {
    parts.pairs = good;
    kFlipByte(random)(parts.pairs.begin);
    if (round % 2 == 0) parts.pairs.begin = good.begin;
    kFlipByte(random)(parts.pairs.entries);
    if (!is_sound(parts)) {
      ++refused;
      continue;
    }
    ++read;
    read_all(rerank::PairTask(parts.pairs, parts.names.size()));
  }
  EXPECT_GT(refused, 20u);
  EXPECT_GT(read, 20u);
}

}  // namespace
}  // namespace hinge::test
