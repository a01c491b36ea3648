// Sparse rows of weights under 64-bit keys, laid out to be used where they
// lie in a mapped file: one open-addressing probe, then a few (column, weight)
// pairs side by side. Rows that are all zero are not there.
//
// A slot is (fingerprint, begin); a row ends where the next slot begins, so an
// empty slot is one of length zero and needs no mark. The last slot is a sentinel.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/model/model_file.h"

namespace hinge {

class RowTableBuilder {
 public:
  // Entries of one key; zeros are left out. Keys must differ.
  void add(Key key, std::uint32_t id, std::span<const float> row, float threshold);

  // Adds sections prefix.size, .slots, .cols and .vals. Returns the ids
  // given to add(), in the order of the rows in the file.
  std::vector<std::uint32_t> write(std::string_view prefix, std::size_t width, ModelWriter& out) const;

  std::size_t rows() const { return rows_.size(); }
  std::size_t entries() const { return columns_.size(); }

 private:
  struct Row {
    Key key;
    std::uint32_t id;
    std::size_t begin;
    std::size_t end;
  };
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

  // Views into the file, which must outlive the table.
  RowTable(const ModelFile& file, std::string_view prefix, std::size_t width);

  // out[column] += scale * value for the row of the key, if there is one.
  // `out` has at least `width` floats; damaged columns stay inside.
  void add_to(Key key, float scale, float* out) const {
    const std::size_t slot = find(key);
    if (slot == kNotFound) return;
    for (std::uint32_t e = slots_[slot].begin; e < slots_[slot + 1].begin; ++e)
      out[column(e)] += scale * values_[e];
  }
  void prefetch(Key key) const { __builtin_prefetch(slots_.data() + home(key)); }

  std::size_t rows() const;
  std::size_t entries() const { return values_.size(); }
  // body(row number, column, value) for every entry.
  template <typename Body>
  void each(const Body& body) const {
    std::size_t row = 0;
    for (std::size_t s = 0; s + 1 < slots_.size(); ++s) {
      const std::uint32_t end = bounded(slots_[s + 1].begin);
      for (std::uint32_t e = bounded(slots_[s].begin); e < end; ++e) body(row, column(e), values_[e]);
      row += slots_[s].begin < end;
    }
  }

 private:
  static constexpr std::size_t kNotFound = ~std::size_t{0};

  std::size_t home(Key key) const { return scale_to(key, capacity_); }
  std::uint32_t bounded(std::uint32_t entry) const {
    return entry < values_.size() ? entry : static_cast<std::uint32_t>(values_.size());
  }
  std::size_t find(Key key) const {
    const auto fingerprint = static_cast<std::uint32_t>(key);
    for (std::size_t slot = home(key); slot < last_; ++slot) {
      const std::uint32_t begin = slots_[slot].begin;
      const std::uint32_t end = slots_[slot + 1].begin;
      if (begin >= end || end > values_.size()) return kNotFound;
      if (slots_[slot].fingerprint == fingerprint) return slot;
    }
    return kNotFound;
  }
  std::size_t column(std::uint32_t entry) const {
    std::size_t column = bytes_ == 1 ? columns8_[entry] : bytes_ == 2 ? columns16_[entry] : columns32_[entry];
    return column < width_ ? column : width_ - 1;
  }

  std::size_t width_;
  std::size_t bytes_;         // of a column number
  std::size_t capacity_ = 0;  // home slots
  std::size_t last_ = 0;      // the sentinel; runs may spill from the last homes up to it
  std::span<const Slot> slots_;
  std::span<const std::uint8_t> columns8_;
  std::span<const std::uint16_t> columns16_;
  std::span<const std::uint32_t> columns32_;
  std::span<const float> values_;
};

}  // namespace hinge
