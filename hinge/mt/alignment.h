// Word alignment: which words of two sentences translate each other.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/mt/bitext.h"

namespace hinge::mt {

struct Link {
  std::uint16_t source;  // positions, from 0
  std::uint16_t target;

  auto operator<=>(const Link&) const = default;
};

// The links of all pairs, in order of source and target position.
struct Alignment {
  std::vector<std::uint64_t> begin = {0};  // [sentences + 1], into links
  std::vector<Link> links;

  std::span<const Link> pair(std::size_t i) const {
    return {links.data() + begin[i], links.data() + begin[i + 1]};
  }
};

}  // namespace hinge::mt
