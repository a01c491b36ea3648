#include "hinge/evaluate/common_subsequence.h"

#include <algorithm>

namespace hinge {

template <typename DropB>
void CommonSubsequence::fill_row(std::uint64_t word, std::span<const std::uint64_t> b, const DropB& drop_b) {
  std::uint32_t diagonal = 0;  // for one word less of both
  for (std::size_t j = 0; j < b.size(); ++j) {
    const std::uint32_t up = row_[j + 1];
    const std::uint32_t left = row_[j];
    if (left > up) drop_b(j);
    row_[j + 1] = b[j] == word ? diagonal + 1 : std::max(up, left);
    diagonal = up;
  }
}

std::size_t CommonSubsequence::length(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  row_.assign(b.size() + 1, 0);
  for (const std::uint64_t word : a) fill_row(word, b, [](std::size_t) {});
  return row_.back();
}

void CommonSubsequence::mark(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b,
                             std::span<std::uint8_t> in_a) {
  row_.assign(b.size() + 1, 0);
  drop_b_.assign(a.size() * b.size(), false);
  for (std::size_t i = 0; i < a.size(); ++i) {
    fill_row(a[i], b, [&](std::size_t j) { drop_b_[i * b.size() + j] = true; });
  }
  for (std::size_t i = a.size(), j = b.size(); i > 0 && j > 0;) {
    if (a[i - 1] == b[j - 1]) {
      in_a[--i] = 1;
      --j;
    } else if (drop_b_[(i - 1) * b.size() + j - 1]) {
      --j;
    } else {
      --i;
    }
  }
}

}  // namespace hinge
