// What the kernels of arcs.cc and second.cc read: those files are compiled once
// for each instruction set, this one once.
#pragma once

#include "hinge/tasks/dep/space.h"

namespace hinge::dep {

inline constexpr std::size_t kKeyPadding = 16;  // keys of an arc are read in vectors up to this long

// Keys of hashed features of one sentence, 32 bits of them.
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

// Keys of parts of three words, [words + 2][width] for each role.
struct HashedTriples {
  int shift;
  std::size_t width;
  const std::uint32_t* keys[3];
  const float* use;
};

}  // namespace hinge::dep
