// Names of hashed rows of weights, for people who look at a model: of each row the first
// feature that training met in it, and whether it met others there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/number_map.h"
#include "hinge/core/state.h"
#include "hinge/features/hash.h"
#include "hinge/model/model_file.h"

namespace hinge {

// The help of the task option `names`.
inline constexpr const char* kNamesHelp =
    "keep the names of hashed features met in training, for inspect; the model grows";
// Throws OptionError if the option is set, but nothing is hashed.
void check_names(bool names, bool hashed);

class RowNames {
 public:
  static constexpr std::uint32_t kNone = NumberMap::kNone;

  // Training met a feature in its row; `name()` is called only if it is the first there. Call it in
  // the order of the data, so that names do not depend on threads.
  template <typename Name>
  void meet(std::uint32_t row, Key key, const Name& name) {
    const auto [number, is_new] = numbers_.add(row, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) return add(row, key, name());
    shared_[number] |= static_cast<std::uint8_t>(keys_[number] != key);
  }
  // The names that a model stores, for training that continues from it; row_of(key) is the row of
  // a feature. Call it before the first meet().
  template <typename RowOf>
  void keep(const RowNames& known, const RowOf& row_of) {
    for (std::uint32_t n = 0; n < known.rows_.size(); ++n) keep(known, n, row_of(known.keys_[n]));
  }
  // Adds what other ranks met in later parts of the data: rank 0 gets all names, the others lose
  // theirs. A meeting.
  void merge(Communicator& ranks);

  bool empty() const { return rows_.empty(); }
  std::size_t size() const { return rows_.size(); }
  // "w[0]=the", or "w[0]=the (and others)"; "" if the row has no name.
  std::string text(std::uint32_t row) const;
  Key key(std::uint32_t row) const;  // of its first feature; kAbsent if it has no name

  // Adds a section with the names of the rows of a model: rows[k] is the one at place k, or kNone.
  void write(std::string_view section, std::span<const std::uint32_t> rows, ModelWriter& out) const;
  // Reads it, where rows are places; empty if the model has none. Throws ModelError if damaged.
  static RowNames read(const ModelFile& file, std::string_view section);

  void visit(State& state);

 private:
  void add(std::uint32_t row, Key key, std::string_view name);
  void keep(const RowNames& known, std::uint32_t number, std::uint32_t row);
  std::string_view plain(std::uint32_t number) const {
    const std::uint64_t begin = number == 0 ? 0 : end_[number - 1];
    return std::string_view(text_).substr(begin, end_[number] - begin);
  }

  NumberMap numbers_;  // of rows, in the order in which they were met
  std::vector<std::uint32_t> rows_;
  std::vector<Key> keys_;             // [rows]
  std::vector<std::uint8_t> shared_;  // [rows], 1 if several features are there
  std::vector<std::uint64_t> end_;    // [rows], of each name in
  std::string text_;
};

// For write(), if all rows are in the file: each in its place, but kNone for those of zeros.
std::vector<std::uint32_t> used_rows(std::span<const float> weights, std::size_t width);

}  // namespace hinge
