#include "hinge/learn/driver/block_order.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace hinge {
namespace {

// Sorts blocks by the first of these examples that is in them. Ends as soon as every block has one.
void sort_by_use(const ExampleBlocks& all, std::span<const std::uint32_t> examples,
                 std::span<std::uint32_t> blocks) {
  std::ranges::sort(blocks);
  std::vector<std::size_t> first(blocks.size(), examples.size());
  std::size_t left = blocks.size();
  for (std::size_t k = 0; k < examples.size() && left > 0; ++k) {
    const auto after =
        std::ranges::upper_bound(blocks, examples[k], {}, [&](std::uint32_t b) { return all.begin[b]; });
    std::size_t& use = first[static_cast<std::size_t>(after - blocks.begin()) - 1];
    left -= use == examples.size();
    use = std::min(use, k);
  }
  std::vector<std::pair<std::size_t, std::uint32_t>> uses;
  for (std::size_t b = 0; b < blocks.size(); ++b) uses.emplace_back(first[b], blocks[b]);
  std::ranges::sort(uses);
  for (std::size_t b = 0; b < blocks.size(); ++b) blocks[b] = uses[b].second;
}

}  // namespace

void shuffle_blocks(const ExampleBlocks& all, Random& random, std::span<std::uint32_t> order,
                    std::vector<std::uint32_t>& used) {
  if (order.empty()) return;
  const std::uint32_t begin = *std::ranges::min_element(order);
  const std::uint32_t end = begin + static_cast<std::uint32_t>(order.size());
  std::vector<std::uint32_t> blocks;
  for (std::uint32_t b = 0; b < all.bytes.size(); ++b) {
    if (all.begin[b] < end && all.begin[b + 1] > begin) blocks.push_back(b);
  }
  random.shuffle(std::span(blocks));
  std::size_t filled = 0;
  for (std::size_t b = 0; b < blocks.size();) {
    const std::size_t first = filled, first_block = b;
    std::uint64_t together = 0;
    do {
      const std::uint32_t block = blocks[b++];
      for (std::uint32_t i = std::max(begin, all.begin[block]); i < std::min(end, all.begin[block + 1]); ++i)
        order[filled++] = i;
      together += all.bytes[block];
    } while (b < blocks.size() && together + all.bytes[blocks[b]] <= all.window / 2);
    const auto examples = order.subspan(first, filled - first);
    random.shuffle(examples);
    sort_by_use(all, examples, std::span(blocks).subspan(first_block, b - first_block));
  }
  used.insert(used.end(), blocks.begin(), blocks.end());
}

}  // namespace hinge
