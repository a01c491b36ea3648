#include "hinge/model/row_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "hinge/core/error.h"

namespace hinge {
namespace {

constexpr double kLoad = 0.5;  // share of used slots: most lookups are of unseen features and must end soon

std::size_t bytes_per_column(std::size_t width) { return width <= 256 ? 1 : width <= 65536 ? 2 : 4; }

std::string section_name(std::string_view prefix, std::string_view part) {
  return fmt::format("{}.{}", prefix, part);
}

template <typename T>
std::string bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace

void RowTableBuilder::add(Key key, std::uint32_t id, std::span<const float> row, float threshold) {
  const std::size_t begin = columns_.size();
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (!(std::abs(row[c]) > threshold)) continue;
    columns_.push_back(static_cast<std::uint32_t>(c));
    values_.push_back(row[c]);
  }
  if (columns_.size() > begin) rows_.push_back({key, id, begin, columns_.size()});
}

// Rows at least half full are dense: faster to add, and soon smaller.
void RowTableBuilder::append(const Row& row, std::size_t width, std::vector<std::uint32_t>& words) const {
  const std::size_t column_bytes = bytes_per_column(width);
  const std::size_t n = row.end - row.begin;
  const std::size_t first = words.size();
  if (2 * n >= width) {
    words.resize(first + width, 0);
    for (std::size_t e = row.begin; e < row.end; ++e)
      words[first + columns_[e]] = std::bit_cast<std::uint32_t>(values_[e]);
    return;
  }
  words.resize(first + n + (n * column_bytes + 3) / 4, 0);
  std::memcpy(&words[first], &values_[row.begin], n * sizeof(float));
  for (std::size_t e = 0; e < n; ++e) {
    std::memcpy(reinterpret_cast<char*>(&words[first + n]) + e * column_bytes, &columns_[row.begin + e],
                column_bytes);
  }
}

std::vector<std::uint32_t> RowTableBuilder::write(std::string_view prefix, std::size_t width,
                                                  ModelWriter& out) const {
  // Sorted by key, which is also the order of home slots, so no run ever wraps.
  std::vector<std::uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [this](std::uint32_t r) { return rows_[r].key; });
  const std::uint64_t homes = static_cast<std::uint64_t>(static_cast<double>(rows_.size()) / kLoad) + 1;

  std::vector<RowTable::Slot> slots;
  std::vector<std::uint32_t> words;
  std::vector<std::uint32_t> ids;
  for (const std::uint32_t r : order) {
    const Row& row = rows_[r];
    while (slots.size() < scale_to(row.key, homes))
      slots.push_back({0, static_cast<std::uint32_t>(words.size())});
    slots.push_back({static_cast<std::uint32_t>(row.key), static_cast<std::uint32_t>(words.size())});
    ids.push_back(row.id);
    append(row, width, words);
  }
  if (words.size() > 0xFFFFFFFFu) {
    fail<ModelError>("the model has more than 4 billion words; raise min_count or use the l1 regularizer");
  }
  while (slots.size() < homes) slots.push_back({0, static_cast<std::uint32_t>(words.size())});
  slots.push_back({0, static_cast<std::uint32_t>(words.size())});
  out.add(section_name(prefix, "size"), bytes_of(std::span(&homes, 1)));
  out.add(section_name(prefix, "slots"), bytes_of(std::span<const RowTable::Slot>(slots)));
  out.add(section_name(prefix, "rows"), bytes_of(std::span<const std::uint32_t>(words)));
  return ids;
}

RowTable::RowTable(const ModelFile& file, std::string_view prefix, std::size_t width)
    : width_(width), column_bytes_(bytes_per_column(width)) {
  const auto homes = file.array<std::uint64_t>(section_name(prefix, "size"));
  slots_ = file.array<Slot>(section_name(prefix, "slots"));
  words_ = file.array<std::uint32_t>(section_name(prefix, "rows"));
  if (homes.size() != 1 || homes[0] == 0 || homes[0] >= slots_.size() || width == 0) {
    fail<ModelError>("{}: the weights are damaged; copy or train it again", file.name());
  }
  homes_ = homes[0];
  sentinel_ = slots_.size() - 1;
}

std::size_t RowTable::rows() const {
  std::size_t rows = 0;
  for (std::size_t slot = 0; slot < sentinel_; ++slot) rows += slots_[slot].begin < slots_[slot + 1].begin;
  return rows;
}

std::size_t RowTable::entries() const {
  std::size_t entries = 0;
  each([&entries](std::size_t, std::size_t, float) { ++entries; });
  return entries;
}

}  // namespace hinge
