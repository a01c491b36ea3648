// 64 x 64 -> 128 bit products.
#pragma once

#include <cstdint>

namespace hinge {

__extension__ typedef unsigned __int128 Uint128;

inline Uint128 wide_product(std::uint64_t a, std::uint64_t b) { return static_cast<Uint128>(a) * b; }

// Maps a uniform 64-bit number to [0, n).
inline std::uint64_t scale_to(std::uint64_t x, std::uint64_t n) {
  return static_cast<std::uint64_t>(wide_product(x, n) >> 64);
}

}  // namespace hinge
