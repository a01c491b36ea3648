// The heaviest matching of a bipartite graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hinge {

struct MatchingEdge {
  std::uint32_t row, column;
  double weight;  // finite
};

inline constexpr std::uint32_t kUnmatched = std::numeric_limits<std::uint32_t>::max();

// Chooses edges of the greatest total weight, at most one for each row and each column;
// returns the column of each row, or kUnmatched. Edges are sorted by row. [rows]
//
// Shortest augmenting paths with potentials, one search for each row (Jonker and Volgenant,
// Computing 38, 1987), along the edges that there are: time O(rows edges log edges) at
// worst, but a search ends at the nearest free column, which in sparse graphs is near.
std::vector<std::uint32_t> heaviest_matching(std::size_t rows, std::size_t columns,
                                             std::span<const MatchingEdge> edges);

}  // namespace hinge
