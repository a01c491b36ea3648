// The weights people look at first.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

namespace hinge {

// Keeps the n items of largest absolute `weight`, the largest first; ties keep
// their order.
template <typename Item>
void keep_heaviest(std::size_t n, std::vector<Item>& items) {
  std::vector<std::size_t> order(items.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t kept = std::min(n, items.size());
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(kept), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      const auto x = std::abs(items[a].weight), y = std::abs(items[b].weight);
                      return x > y || (x == y && a < b);
                    });
  std::vector<Item> heaviest;
  heaviest.reserve(kept);
  for (std::size_t k = 0; k < kept; ++k) heaviest.push_back(std::move(items[order[k]]));
  items = std::move(heaviest);
}

}  // namespace hinge
