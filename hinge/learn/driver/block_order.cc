#include "hinge/learn/driver/block_order.h"

#include <algorithm>
#include <vector>

namespace hinge {

void shuffle_blocks(const ExampleBlocks& all, Random& random, std::span<std::uint32_t> order) {
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
    const std::size_t first = filled;
    std::uint64_t together = 0;
    do {
      const std::uint32_t block = blocks[b++];
      for (std::uint32_t i = std::max(begin, all.begin[block]); i < std::min(end, all.begin[block + 1]); ++i)
        order[filled++] = i;
      together += all.bytes[block];
    } while (b < blocks.size() && together + all.bytes[blocks[b]] <= all.window / 2);
    random.shuffle(order.subspan(first, filled - first));
  }
}

}  // namespace hinge
