// Feature keys: 64-bit hashes of the text to which a template expands. They are
// combined from hashes of its pieces, so each piece is hashed once for all templates
// and no string is ever built. Among a million keys two collide with probability
// 3e-8.
#pragma once

#include <cstdint>
#include <string_view>

#include "hinge/core/wide.h"

namespace hinge {

using Key = std::uint64_t;

// The hash of a missing value; a template that needs it does not fire.
inline constexpr Key kAbsent = 0;

Key hash_text(std::string_view text);

// Depends on the order: a 64 x 64 -> 128 bit product, folded.
inline Key combine(Key left, Key right) {
  const Uint128 product = wide_product(left ^ 0x9E3779B97F4A7C15u, right ^ 0xD6E8FEB86659FD93u);
  const Key key = static_cast<Key>(product) ^ static_cast<Key>(product >> 64);
  return key == kAbsent ? 1 : key;
}

}  // namespace hinge
