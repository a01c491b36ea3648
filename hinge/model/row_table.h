// Sparse rows of weights with 64-bit keys, used directly in a mapped file: one
// open-addressing probe, then the weights and the columns of the row side by side.
// All-zero rows are omitted.
//
// A slot is (fingerprint, begin); a row ends where the next slot begins, so an
// empty slot has length zero and needs no mark. A row of `width` words is dense:
// one float per column. A shorter one is n floats and then n column numbers of 1, 2
// or 4 bytes, padded to whole words: n follows from the length. The last slot is a
// sentinel.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/model/model_file.h"

namespace hinge {

class RowTableBuilder {
 public:
  // Adds the row of a key, dropping entries with |value| <= threshold. Keys must be
  // distinct.
  void add(Key key, std::uint32_t id, std::span<const float> row, float threshold);

  // Adds sections prefix.size, .slots and .rows. Returns the ids given to
  // add(), in the order of the rows in the file.
  std::vector<std::uint32_t> write(std::string_view prefix, std::size_t width, ModelWriter& out) const;

 private:
  struct Row {
    Key key;
    std::uint32_t id;
    std::size_t begin;
    std::size_t end;
  };
  void append(const Row& row, std::size_t width, std::vector<std::uint32_t>& words) const;

  std::vector<Row> rows_;
  std::vector<std::uint32_t> columns_;
  std::vector<float> values_;
};

class RowTable {
 public:
  struct Slot {
    std::uint32_t fingerprint;
    std::uint32_t begin;
  };
  // The words of a row in the file; empty if there is none.
  using Row = std::span<const std::uint32_t>;

  // Views into the file, which must outlive the table.
  RowTable(const ModelFile& file, std::string_view prefix, std::size_t width);

  void prefetch(Key key) const { __builtin_prefetch(slots_.data() + scale_to(key, homes_)); }

  Row find(Key key) const {
    const auto fingerprint = static_cast<std::uint32_t>(key);
    for (std::size_t slot = scale_to(key, homes_); slot < sentinel_; ++slot) {
      const std::uint32_t begin = slots_[slot].begin;
      const std::uint32_t end = slots_[slot + 1].begin;
      if (begin >= end || end > words_.size()) return {};
      if (slots_[slot].fingerprint == fingerprint) return words_.subspan(begin, end - begin);
    }
    return {};
  }

  // out[column] += scale * value over the row. `out` needs at least `width` floats,
  // and 256 if columns have one byte, so damaged columns stay in bounds.
  void add_to(Row row, float scale, float* out) const {
    const std::uint32_t* values = row.data();
    if (row.size() == width_) {
      for (std::size_t c = 0; c < width_; ++c) out[c] += scale * as_float(values[c]);
    } else if (column_bytes_ == 1) {
      const std::size_t n = row.size() * 4 / 5;
      const auto* columns = reinterpret_cast<const unsigned char*>(values + n);
      for (std::size_t e = 0; e < n; ++e) out[columns[e]] += scale * as_float(values[e]);
    } else {
      const std::size_t n = entries_of(row);
      for (std::size_t e = 0; e < n; ++e) out[column(row, n, e)] += scale * as_float(values[e]);
    }
  }

  bool empty() const { return words_.empty(); }
  std::size_t rows() const;
  std::size_t entries() const;
  // body(row number, column, value) for every entry that is not zero.
  template <typename Body>
  void each(const Body& body) const {
    std::size_t number = 0;
    for (std::size_t slot = 0; slot < sentinel_; ++slot) {
      const std::uint32_t begin = slots_[slot].begin;
      const std::uint32_t end = slots_[slot + 1].begin;
      if (begin >= end || end > words_.size()) continue;
      const Row row = words_.subspan(begin, end - begin);
      const std::size_t n = entries_of(row);
      for (std::size_t e = 0; e < n; ++e) {
        if (as_float(row[e]) != 0.0f) body(number, column(row, n, e), as_float(row[e]));
      }
      ++number;
    }
  }

 private:
  static float as_float(std::uint32_t bits) {
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
  std::size_t entries_of(Row row) const {
    return row.size() == width_ ? width_ : row.size() * 4 / (4 + column_bytes_);
  }
  std::size_t column(Row row, std::size_t n, std::size_t entry) const {
    if (row.size() == width_) return entry;
    std::uint32_t column = 0;
    std::memcpy(&column, reinterpret_cast<const char*>(row.data() + n) + entry * column_bytes_,
                column_bytes_);
    return column < width_ ? column : width_ - 1;
  }

  std::size_t width_;
  std::size_t column_bytes_;
  std::size_t homes_ = 0;     // number of home slots
  std::size_t sentinel_ = 0;  // runs may spill past the last home up to here
  std::span<const Slot> slots_;
  std::span<const std::uint32_t> words_;
};

}  // namespace hinge
