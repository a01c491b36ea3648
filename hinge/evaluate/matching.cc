#include "hinge/evaluate/matching.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <queue>
#include <utility>

namespace hinge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Minimizes the sum of costs, -weight. Every row also has a column of its own with
// cost 0, which stands for no match, so every row is matched. Potentials u (rows) and v
// (columns) keep every reduced cost, cost - u - v, at 0 or more, and that of matched
// edges at 0. A row's own column always has potential 0: no other row can reach it.
class Matcher {
 public:
  Matcher(std::size_t rows, std::size_t columns, std::span<const MatchingEdge> edges)
      : edges_(edges),
        begin_(rows + 1, 0),
        u_(rows, 0.0),
        v_(columns, 0.0),
        column_of_(rows, kUnmatched),
        row_of_(columns, kUnmatched),
        distance_(columns, kInfinity),
        parent_(columns, kUnmatched) {
    for (const MatchingEdge& edge : edges) {
      assert(edge.row < rows && edge.column < columns);
      ++begin_[edge.row + 1];
      u_[edge.row] = std::min(u_[edge.row], -edge.weight);
    }
    for (std::size_t row = 0; row < rows; ++row) begin_[row + 1] += begin_[row];
  }

  std::vector<std::uint32_t> run() {
    for (std::uint32_t row = 0; row < u_.size(); ++row) match(row);
    return std::move(column_of_);
  }

 private:
  using Entry = std::pair<double, std::uint32_t>;  // distance, column

  // Dijkstra from a free row along alternating paths to the nearest free column.
  void match(std::uint32_t start) {
    double nearest_own = kInfinity;  // distance of the nearest column that stands for no match
    std::uint32_t own_row = start;
    std::uint32_t end = kUnmatched;  // the free column
    double length = 0.0;
    for (std::uint32_t row = start; true; row = row_of_[end]) {
      relax(row, length);
      if (length - u_[row] < nearest_own) {
        nearest_own = length - u_[row];
        own_row = row;
      }
      end = nearest();
      length = end == kUnmatched ? kInfinity : distance_[end];
      if (length >= nearest_own || row_of_[end] == kUnmatched) break;
      done_.push_back(end);
    }
    if (length >= nearest_own) {
      shift(start, nearest_own);
      augment(kUnmatched, own_row, start);
    } else {
      shift(start, length);
      augment(end, parent_[end], start);
    }
    clear();
  }

  void relax(std::uint32_t row, double length) {
    for (std::size_t k = begin_[row]; k < begin_[row + 1]; ++k) {
      const MatchingEdge& edge = edges_[k];
      // Rounding must not make a cost negative.
      const double cost = std::max(0.0, -edge.weight - u_[row] - v_[edge.column]);
      if (length + cost >= distance_[edge.column]) continue;
      if (distance_[edge.column] == kInfinity) touched_.push_back(edge.column);
      distance_[edge.column] = length + cost;
      parent_[edge.column] = row;
      if (cost > 0.0) {
        heap_.emplace(length + cost, edge.column);
      } else {
        near_.push_back(edge.column);
        if (row_of_[edge.column] == kUnmatched) return;  // none is nearer
      }
    }
  }

  std::uint32_t nearest() {
    if (!near_.empty()) {
      const std::uint32_t column = near_.back();
      near_.pop_back();
      return column;
    }
    while (!heap_.empty()) {
      const auto [distance, column] = heap_.top();
      heap_.pop();
      if (distance == distance_[column]) return column;  // else it was reached on a shorter path
    }
    return kUnmatched;
  }

  void shift(std::uint32_t start, double length) {
    u_[start] += length;
    for (const std::uint32_t column : done_) {
      u_[row_of_[column]] += length - distance_[column];
      v_[column] -= length - distance_[column];
    }
  }

  // Gives the row at the end of the path the column, and each row before it the column
  // that the row after it gives up.
  void augment(std::uint32_t column, std::uint32_t row, std::uint32_t start) {
    while (true) {
      const std::uint32_t given_up = std::exchange(column_of_[row], column);
      if (column != kUnmatched) row_of_[column] = row;
      if (row == start) return;
      column = given_up;
      row = parent_[column];
    }
  }

  void clear() {
    for (const std::uint32_t column : touched_) distance_[column] = kInfinity;
    touched_.clear();
    done_.clear();
    near_.clear();
    heap_ = {};
  }

  std::span<const MatchingEdge> edges_;
  std::vector<std::size_t> begin_;  // [rows + 1], into edges_
  std::vector<double> u_, v_;
  std::vector<std::uint32_t> column_of_, row_of_;
  // Of one search.
  std::vector<double> distance_;       // [columns]
  std::vector<std::uint32_t> parent_;  // [columns], the row before it on the path
  std::vector<std::uint32_t> touched_, done_;
  // Reached at no cost, so none is nearer than the last one. Where many weights are equal, going
  // deep first finds a free column much sooner.
  std::vector<std::uint32_t> near_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap_;
};

}  // namespace

std::vector<std::uint32_t> heaviest_matching(std::size_t rows, std::size_t columns,
                                             std::span<const MatchingEdge> edges) {
  assert(std::is_sorted(edges.begin(), edges.end(),
                        [](const MatchingEdge& a, const MatchingEdge& b) { return a.row < b.row; }));
  return Matcher(rows, columns, edges).run();
}

}  // namespace hinge
