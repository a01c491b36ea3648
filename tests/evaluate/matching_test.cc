#include "hinge/evaluate/matching.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <vector>

#include "hinge/core/random.h"

namespace hinge {
namespace {

using Edges = std::vector<MatchingEdge>;

// The weight of a matching, which must use edges of the graph and no column twice.
double weight_of(const std::vector<std::uint32_t>& matching, const Edges& edges) {
  std::set<std::uint32_t> columns;
  double sum = 0.0;
  for (std::uint32_t row = 0; row < matching.size(); ++row) {
    if (matching[row] == kUnmatched) continue;
    EXPECT_TRUE(columns.insert(matching[row]).second) << "column " << matching[row] << " is used twice";
    const auto edge = std::find_if(edges.begin(), edges.end(), [&](const MatchingEdge& e) {
      return e.row == row && e.column == matching[row];
    });
    EXPECT_NE(edge, edges.end()) << "there is no such edge";
    if (edge != edges.end()) sum += edge->weight;
  }
  return sum;
}

// Tries every matching of the rows from `row` on.
double best_weight(std::uint32_t row, std::uint32_t rows, std::set<std::uint32_t>& used, const Edges& edges) {
  if (row == rows) return 0.0;
  double best = best_weight(row + 1, rows, used, edges);
  for (const MatchingEdge& edge : edges) {
    if (edge.row != row || !used.insert(edge.column).second) continue;
    best = std::max(best, edge.weight + best_weight(row + 1, rows, used, edges));
    used.erase(edge.column);
  }
  return best;
}

// Each edge exists with this probability.
Edges random_edges(std::uint32_t rows, std::uint32_t columns, double density, bool whole, Random& random) {
  Edges edges;
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::uint32_t column = 0; column < columns; ++column) {
      if (random.uniform() >= density) continue;
      const double weight = random.uniform() * 6.0 - 1.0;
      edges.push_back({row, column, whole ? std::floor(weight) : weight});
    }
  }
  return edges;
}

TEST(Matching, IsAsHeavyAsTheBestOfAllMatchings) {
  Random random(3);
  for (int trial = 0; trial < 3000; ++trial) {
    const auto rows = static_cast<std::uint32_t>(random.below(6));
    const auto columns = static_cast<std::uint32_t>(1 + random.below(6));
    const Edges edges = random_edges(rows, columns, random.uniform(), trial % 2 == 0, random);
    const std::vector<std::uint32_t> matching = heaviest_matching(rows, columns, edges);
    ASSERT_EQ(matching.size(), rows);
    std::set<std::uint32_t> used;
    ASSERT_NEAR(weight_of(matching, edges), best_weight(0, rows, used, edges), 1e-12) << "trial " << trial;
  }
}

TEST(Matching, MovesEveryRowAlongAPath) {
  // Row k fits columns k and k + 1, both almost as well; the last row fits only column 0.
  constexpr std::uint32_t kRows = 200;
  Edges edges;
  for (std::uint32_t row = 0; row + 1 < kRows; ++row) {
    edges.push_back({row, row, 1.0});
    edges.push_back({row, row + 1, 1.0 - 1e-6});
  }
  edges.push_back({kRows - 1, 0, 1.0});
  const std::vector<std::uint32_t> matching = heaviest_matching(kRows, kRows, edges);
  for (std::uint32_t row = 0; row < kRows; ++row) EXPECT_EQ(matching[row], (row + 1) % kRows);
}

TEST(Matching, ThousandsOfRowsTakeWellUnderASecond) {
  constexpr std::uint32_t kRows = 5000;
  Random random(4);
  Edges edges;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    std::set<std::uint32_t> columns;
    for (int k = 0; k < 4; ++k) columns.insert(static_cast<std::uint32_t>(random.below(kRows)));
    for (const std::uint32_t column : columns) edges.push_back({row, column, random.uniform()});
  }
  const auto start = std::chrono::steady_clock::now();
  const std::vector<std::uint32_t> matching = heaviest_matching(kRows, kRows, edges);
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  EXPECT_GT(weight_of(matching, edges), 3000.0);
  RecordProperty("milliseconds", static_cast<int>(time.count() * 1000.0));
  EXPECT_LT(time.count(), 5.0);  // about 0.1 s, but machines are shared and sanitizers slow
}

}  // namespace
}  // namespace hinge
