// The n-grams of references as a trie, and how many of a hypothesis's are among
// them. Symbols are words or characters, given as numbers; nothing but the
// symbols themselves decides whether two n-grams are the same, so no hash can
// collide.
//
// A trie because an n-gram that is not in the references is in no longer one
// that is: counting a hypothesis looks up little beyond what matches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hinge {

class NgramTable {
 public:
  explicit NgramTable(std::size_t order);  // n-grams of 1 to `order` symbols

  void clear();  // keeps its memory
  // An n-gram's count is the most that one of the references added has of it.
  void add(std::span<const std::uint32_t> symbols);
  // Adds to matches[n - 1] the n-grams of `symbols` that references have, each
  // as often as its count at most. Does not allocate. Symbols no reference has
  // match nothing, 0xFFFFFFFF is never one of them.
  void match(std::span<const std::uint32_t> symbols, std::span<std::uint32_t> matches);

  std::size_t order() const { return order_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr std::uint32_t kNone = 0;  // the root, which no edge leads to

  struct Slot {
    std::uint64_t edge = kFree;  // node << 32 | symbol
    std::uint32_t node = kNone;  // the edge leads to
  };

  std::size_t slot_of(std::uint64_t edge) const;
  std::uint32_t step(std::uint32_t node, std::uint32_t symbol);
  void grow();

  std::size_t order_;
  std::vector<Slot> slots_;           // a power of two, at most half of them taken
  unsigned shift_ = 0;                // 64 - log2 slots
  std::vector<std::uint32_t> limit_;  // [nodes], the n-gram's count
  std::vector<std::uint32_t> used_;   // [nodes], of it, in the sentence at hand
};

// How many n-grams of n symbols a sentence has.
constexpr std::size_t ngram_total(std::size_t symbols, std::size_t n) {
  return symbols >= n ? symbols - n + 1 : 0;
}

}  // namespace hinge
