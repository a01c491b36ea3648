// Rows of values, one per example, as columns. Without any row, all are empty.
#pragma once

#include <span>
#include <string_view>

#include "hinge/files/block_cache.h"
#include "hinge/files/column.h"

namespace hinge {

template <typename T>
struct RowColumn {
  Column<T> values;
  Column<std::size_t> begin{0};  // [examples + 1], or only one

  bool has_rows() const { return begin.size() > 1; }
  template <typename Range>
  void add(const Range& row) {
    values.append(row);
    end_row();
  }
  void end_row() { begin.push_back(values.size()); }
  std::span<const T> operator[](std::size_t i) const {
    return has_rows() ? part_of(values, begin[i], begin[i + 1]) : std::span<const T>();
  }

  // Whether there are so many rows, or none; whether these may be read.
  bool fits(std::size_t examples) const { return begin.size() == examples + 1; }
  bool is_sound(std::size_t first, std::size_t last) const {
    return !has_rows() || is_rising(part_of(begin, first, last + 1), values.size());
  }
};

// For each_column(): the columns of a member.
template <auto kRows, typename Data, typename Body>
void each_row_column(std::string_view name, std::string_view begins, Data& data, const Body& body) {
  body(begins, (data.*kRows).begin,
       [](const Data& d, std::size_t i) { return (d.*kRows).has_rows() ? i : 0; });
  body(name, (data.*kRows).values, [](const Data& d, std::size_t i) { return (d.*kRows).begin[i]; });
}

}  // namespace hinge
