// Tasks whose examples may lie in a file larger than memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hinge/core/task.h"

namespace hinge {

// Examples that are stored together. Empty: all are in memory, any order will do.
struct ExampleBlocks {
  std::vector<std::uint32_t> begin;  // [blocks + 1], examples
  std::vector<std::uint64_t> bytes;  // [blocks]
  std::uint64_t window = 0;          // how many bytes may be in memory
  // Call before a pass with the order in which blocks will be used first: they are then read ahead. May
  // be null.
  std::function<void(std::span<const std::uint32_t> order)> expect;

  bool empty() const { return begin.empty(); }
};

class BlockTask : public Extension {
 public:
  static constexpr std::string_view kName = "blocks";
  virtual const ExampleBlocks& blocks() const = 0;
  // How many different ones have been read so far; 0 if all examples are in memory.
  virtual std::size_t blocks_read() const = 0;
};

}  // namespace hinge
