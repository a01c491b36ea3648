// The way through a tree from one word to another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "hinge/tasks/coref/data.h"

namespace hinge::coref {

// Calls from_a(word) for the words from a up to the first that is also above m, then
// from_m(word) for those from m up to it; it is in neither. False if it is farther than
// a few words from a or m: then only from_a() was called.
template <typename FromA, typename FromM>
bool walk_path(const DocumentView& data, std::uint32_t m, std::uint32_t a, const FromA& from_a,
               const FromM& from_m) {
  constexpr std::size_t kLongest = 5;
  std::array<std::uint32_t, kLongest> up{};
  std::size_t steps = 0;
  for (std::uint32_t word = m; word != kNoHead && steps < kLongest; word = data.heads[word])
    up[steps++] = word;
  const auto end = up.begin() + static_cast<std::ptrdiff_t>(steps);
  std::uint32_t word = a;
  for (std::size_t k = 0; k < kLongest && word != kNoHead; ++k, word = data.heads[word]) {
    const auto met = std::find(up.begin(), end, word);
    if (met != end) {
      std::for_each(up.begin(), met, from_m);
      return true;
    }
    from_a(word);
  }
  return false;
}

}  // namespace hinge::coref
