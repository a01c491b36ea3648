// A trie of the n-grams of references, to count how many of a hypothesis match.
// Symbols are words or characters, given as numbers. N-grams are compared by their
// symbols, not by a hash, so there are no collisions.
//
// A trie, because an n-gram that is not in the references cannot be part of a longer
// match: counting a hypothesis looks up little beyond what matches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hinge {

class NgramTable {
 public:
  explicit NgramTable(std::size_t order);  // n-grams of 1 to `order` symbols

  void clear();  // keeps its memory
  // The count of an n-gram is its highest count in any one of the references added.
  void add(std::span<const std::uint32_t> symbols);
  // Adds to matches[n - 1] the number of n-grams of `symbols` that references have,
  // each at most up to its count. Does not allocate. Symbols that are in no
  // reference match nothing; no reference may have 0xFFFFFFFF.
  void match(std::span<const std::uint32_t> symbols, std::span<std::uint32_t> matches);

  std::size_t order() const { return order_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr std::uint32_t kNone = 0;  // the root, to which no edge leads

  struct Slot {
    std::uint64_t edge = kFree;  // node << 32 | symbol
    std::uint32_t node = kNone;  // where the edge leads
  };

  std::size_t slot_of(std::uint64_t edge) const;
  std::uint32_t step(std::uint32_t node, std::uint32_t symbol);
  void grow();

  std::size_t order_;
  std::vector<Slot> slots_;           // a power of two, at most half full
  unsigned shift_ = 0;                // 64 - log2 slots
  std::vector<std::uint32_t> limit_;  // [nodes], the n-gram's count
  std::vector<std::uint32_t> used_;   // [nodes], count so far in the current sentence
};

// How many n-grams of n symbols a sentence has.
constexpr std::size_t ngram_total(std::size_t symbols, std::size_t n) {
  return symbols >= n ? symbols - n + 1 : 0;
}

}  // namespace hinge
