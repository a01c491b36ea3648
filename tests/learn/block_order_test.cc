// The order of examples in blocks: a permutation in which a window of blocks is shuffled
// together.
#include "hinge/learn/driver/block_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace hinge {
namespace {

ExampleBlocks ten_blocks(std::uint64_t window) {
  ExampleBlocks blocks{.begin = {0}, .bytes = {}, .window = window};
  for (std::uint32_t b = 0; b < 10; ++b) {
    blocks.begin.push_back(blocks.begin.back() + 20 + b);
    blocks.bytes.push_back(100);
  }
  return blocks;
}

std::vector<std::uint32_t> order_of(const ExampleBlocks& blocks, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> order(blocks.begin.back());
  std::iota(order.begin(), order.end(), 0u);
  std::vector<std::uint32_t> used;
  shuffle_blocks(blocks, random, order, used);
  return order;
}

std::size_t block_of(const ExampleBlocks& blocks, std::uint32_t example) {
  return static_cast<std::size_t>(std::ranges::upper_bound(blocks.begin, example) - blocks.begin.begin()) - 1;
}

TEST(BlockOrder, HasEveryExampleOnceAndDependsOnTheSeedAlone) {
  const ExampleBlocks blocks = ten_blocks(600);
  const std::vector<std::uint32_t> order = order_of(blocks, 1);
  EXPECT_EQ(order, order_of(blocks, 1));
  EXPECT_NE(order, order_of(blocks, 2));
  std::vector<std::uint32_t> sorted = order, all(order.size());
  std::ranges::sort(sorted);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_EQ(sorted, all);
}

TEST(BlockOrder, NeverNeedsMoreBlocksThanHalfTheWindow) {
  for (const std::uint64_t window : {100u, 200u, 600u, 1000u}) {
    const ExampleBlocks blocks = ten_blocks(window);
    const std::vector<std::uint32_t> order = order_of(blocks, 3);
    const std::size_t together = std::max<std::size_t>(1, window / 200);
    std::set<std::size_t> done;
    for (std::size_t at = 0; at < order.size();) {
      std::set<std::size_t> group;
      while (at < order.size() && (group.size() < together || group.contains(block_of(blocks, order[at]))))
        group.insert(block_of(blocks, order[at++]));
      for (const std::size_t block : group)
        EXPECT_TRUE(done.insert(block).second) << "block " << block << " is read twice";
    }
    EXPECT_EQ(done.size(), 10u);
  }
}

TEST(BlockOrder, MixesTheBlocksOfAWindow) {
  const ExampleBlocks blocks = ten_blocks(1000);
  const std::vector<std::uint32_t> order = order_of(blocks, 4);
  std::size_t changes = 0;
  for (std::size_t k = 1; k < order.size(); ++k)
    changes += block_of(blocks, order[k - 1]) != block_of(blocks, order[k]);
  EXPECT_GT(changes, order.size() / 2);
}

TEST(BlockOrder, TellsInWhichOrderBlocksAreUsedFirst) {
  for (const std::uint64_t window : {100u, 600u, 3000u}) {
    const ExampleBlocks blocks = ten_blocks(window);
    std::vector<std::uint32_t> shard(100), used;
    std::iota(shard.begin(), shard.end(), 30u);  // begins and ends inside a block
    Random random(5);
    shuffle_blocks(blocks, random, shard, used);
    std::vector<std::uint32_t> expected;
    for (const std::uint32_t example : shard) {
      const auto block = static_cast<std::uint32_t>(block_of(blocks, example));
      if (std::ranges::find(expected, block) == expected.end()) expected.push_back(block);
    }
    EXPECT_EQ(used, expected) << "window " << window;
  }
}

}  // namespace
}  // namespace hinge
