// Input of the kernels in arcs.cc and second.cc. Those files are compiled once
// per instruction set, this one only once.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "hinge/tasks/dep/layout.h"

namespace hinge::dep {

inline constexpr std::size_t kKeyPadding = 16;  // keys of an arc are read in vectors up to this long

inline std::size_t padded_keys(std::size_t templates) {
  return (templates + kKeyPadding - 1) / kKeyPadding * kKeyPadding;
}

// out: [rows][padded templates], the upper halves of keys [rows][templates].
inline void shorten_keys(std::span<const Key> keys, std::size_t templates, std::vector<std::uint32_t>& out) {
  const std::size_t width = padded_keys(templates);
  const std::size_t rows = templates == 0 ? 0 : keys.size() / templates;
  out.assign(rows * width, 0);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t t = 0; t < templates; ++t)
      out[row * width + t] = static_cast<std::uint32_t>(keys[row * templates + t] >> 32);
  }
}

// use: [padded templates], 1; 0 in the padding.
inline void mark_used(std::size_t templates, std::vector<float>& use) {
  use.assign(padded_keys(templates), 0.0f);
  std::fill_n(use.begin(), templates, 1.0f);
}

// Hashed feature keys of one sentence; `head` and `modifier` are cut to 32 bits.
struct HashedArcs {
  std::size_t words;
  std::size_t stride;  // of the scores
  int shift;           // from a key to a weight
  std::size_t width;   // templates of head and modifier, padded
  const std::uint32_t* bins;
  const std::uint32_t* head;
  const std::uint32_t* modifier;
  const float* use;
  const float* head_sums;  // [words + 1][kSlots]
  const float* modifier_sums;
  std::size_t between_width;  // templates with words between
  const Key* between_head;
  const Key* between_modifier;
  const Key* between;
};

// Keys of parts of three words, [words + 2][width] per role.
struct HashedTriples {
  int shift;
  std::size_t width;
  const std::uint32_t* keys[3];
  const float* use;
};

}  // namespace hinge::dep
