#include "hinge/model/row_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "hinge/core/error.h"

namespace hinge {
namespace {

std::size_t column_bytes(std::size_t width) { return width <= 256 ? 1 : width <= 65536 ? 2 : 4; }

std::string section_name(std::string_view prefix, std::string_view part) {
  return fmt::format("{}.{}", prefix, part);
}

template <typename T>
std::string bytes_of(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
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

std::vector<std::uint32_t> RowTableBuilder::write(std::string_view prefix, std::size_t width,
                                                  ModelWriter& out) const {
  if (columns_.size() >= 0xFFFFFFFFu)
    fail<ModelError>("more than 4 billion weights; raise min_count or use the l1 regularizer");
  // Rows placed in order of their home slot never wrap: the table ends with
  // as many spare slots as the last run needs.
  constexpr double kLoad = 0.65;
  const auto capacity = static_cast<std::size_t>(static_cast<double>(rows_.size()) / kLoad) + 1;
  std::vector<std::uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(),
            [this](std::uint32_t a, std::uint32_t b) { return rows_[a].key < rows_[b].key; });

  std::vector<RowTable::Slot> slots;
  std::vector<std::uint32_t> ids;
  std::vector<float> values;
  std::string columns;
  for (const std::uint32_t r : order) {
    const Row& row = rows_[r];
    while (slots.size() < scale_to(row.key, capacity))
      slots.push_back({0, static_cast<std::uint32_t>(values.size())});
    slots.push_back({static_cast<std::uint32_t>(row.key), static_cast<std::uint32_t>(values.size())});
    ids.push_back(row.id);
    for (std::size_t e = row.begin; e < row.end; ++e) {
      values.push_back(values_[e]);
      columns.append(reinterpret_cast<const char*>(&columns_[e]), column_bytes(width));
    }
  }
  while (slots.size() <= capacity) slots.push_back({0, static_cast<std::uint32_t>(values.size())});
  slots.push_back({0, static_cast<std::uint32_t>(values.size())});
  std::string meta(sizeof(std::uint64_t), '\0');
  const std::uint64_t homes = capacity;
  std::memcpy(meta.data(), &homes, sizeof homes);
  out.add(section_name(prefix, "size"), meta);
  out.add(section_name(prefix, "slots"), bytes_of(slots));
  out.add(section_name(prefix, "cols"), std::move(columns));
  out.add(section_name(prefix, "vals"), bytes_of(values));
  return ids;
}

RowTable::RowTable(const ModelFile& file, std::string_view prefix, std::size_t width)
    : width_(width), bytes_(column_bytes(width)) {
  const auto homes = file.array<std::uint64_t>(section_name(prefix, "size"));
  slots_ = file.array<Slot>(section_name(prefix, "slots"));
  values_ = file.array<float>(section_name(prefix, "vals"));
  const std::string columns = section_name(prefix, "cols");
  columns8_ = file.array<std::uint8_t>(columns);
  columns16_ = file.array<std::uint16_t>(columns);
  columns32_ = file.array<std::uint32_t>(columns);
  if (homes.size() != 1 || slots_.size() < 2 || homes[0] >= slots_.size() || homes[0] == 0 ||
      columns8_.size() != values_.size() * bytes_ || width == 0) {
    fail<ModelError>("{}: the weights are damaged; copy or train it again", file.name());
  }
  capacity_ = homes[0];
  last_ = slots_.size() - 1;
}

std::size_t RowTable::rows() const {
  std::size_t rows = 0;
  for (std::size_t s = 0; s < last_; ++s) rows += slots_[s].begin < slots_[s + 1].begin;
  return rows;
}

}  // namespace hinge
