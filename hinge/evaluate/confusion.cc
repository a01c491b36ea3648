#include "hinge/evaluate/confusion.h"

#include <fmt/core.h>

#include <algorithm>
#include <functional>

namespace hinge {

void Confusions::add(const Confusions& other) {
  for (const auto& [gold, row] : other.errors_) {
    for (const auto& [predicted, count] : row) entry(entry(errors_, gold), predicted) += count;
  }
}

void Confusions::add_row(const std::string& gold, std::int64_t count, std::vector<Confusion>& cells) const {
  const auto row = errors_.find(gold);
  if (row != errors_.end()) {
    for (const auto& [predicted, errors] : row->second) {
      cells.push_back({gold, predicted, errors});
      count -= errors;
    }
  }
  if (count > 0) cells.push_back({gold, gold, count});
}

std::string confusion_text(const std::vector<Confusion>& table, std::size_t most) {
  std::vector<Confusion> errors;
  for (const Confusion& cell : table) {
    if (cell.gold != cell.predicted) errors.push_back(cell);
  }
  if (errors.empty()) return "";
  std::ranges::stable_sort(errors, std::greater(), &Confusion::count);
  const std::size_t kinds = errors.size();
  errors.resize(std::min(most, kinds));
  std::size_t width = 0;
  for (const Confusion& cell : errors) width = std::max(width, cell.gold.size());
  std::string text = fmt::format("most frequent of {} kinds of errors (gold -> predicted):\n", kinds);
  for (const Confusion& cell : errors)
    text += fmt::format("{:>8}  {:<{}} -> {}\n", cell.count, cell.gold, width, cell.predicted);
  return text;
}

}  // namespace hinge
