// The order of examples that are read from a file in blocks. Blocks are shuffled; then
// the examples of as many blocks as fit half the window are shuffled together. So a pass
// reads the file once, and examples from all over it meet. Half the window is for the
// blocks of before, which are still in memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/block_task.h"
#include "hinge/core/random.h"

namespace hinge {

// `order` holds consecutive examples: all, or those of a shard. Appends to `used` the blocks in the order
// in which the shuffled examples use them first.
void shuffle_blocks(const ExampleBlocks& blocks, Random& random, std::span<std::uint32_t> order,
                    std::vector<std::uint32_t>& used);

}  // namespace hinge
