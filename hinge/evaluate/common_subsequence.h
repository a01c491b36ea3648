// The longest common subsequence of two lists of words: its length, and which words of
// the first list are in it. Keeps its memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hinge {

class CommonSubsequence {
 public:
  std::size_t length(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b);

  // Sets in_a[i] to 1 for the words of `a` in one longest common subsequence; leaves the
  // rest. Of several the one is taken that ROUGE-1.5.5 and rouge-score take: from the
  // ends, match the last words if they are equal, else drop the last of `b` only
  // if that leaves more to match than dropping the last of `a`.
  void mark(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b, std::span<std::uint8_t> in_a);

 private:
  // One row of the table: the lengths for a[0..i] and every prefix of b. Calls
  // drop_b(j) where dropping the last of `b` leaves more.
  template <typename DropB>
  void fill_row(std::uint64_t word, std::span<const std::uint64_t> b, const DropB& drop_b);

  std::vector<std::uint32_t> row_;  // [b + 1]
  // [a][b], a bit each: a table of lengths of two texts without line ends would be large.
  std::vector<bool> drop_b_;
};

}  // namespace hinge
