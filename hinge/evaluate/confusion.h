// Which labels are taken for which: the counts behind a confusion table.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/scores.h"

namespace hinge {

// Counts errors only, which are few; what is right follows from the number of gold labels.
class Confusions {
 public:
  void add(std::string_view gold, std::string_view predicted) {
    if (gold != predicted) ++entry(entry(errors_, gold), predicted);
  }
  void add(const Confusions& other);

  // By gold and predicted label, right ones too. `labels`: counts by label, with a member `gold`.
  template <typename Labels>
  std::vector<Confusion> table(const Labels& labels) const {
    std::vector<Confusion> cells;
    for (const auto& [label, counts] : labels) add_row(label, counts.gold, cells);
    return cells;
  }

 private:
  using Row = std::map<std::string, std::int64_t, std::less<>>;

  template <typename Map>
  static typename Map::mapped_type& entry(Map& map, std::string_view key) {
    const auto found = map.find(key);
    return found != map.end() ? found->second : map[std::string(key)];
  }
  void add_row(const std::string& gold, std::int64_t count, std::vector<Confusion>& cells) const;

  std::map<std::string, Row, std::less<>> errors_;  // by gold label
};

// The most frequent errors, "gold -> predicted  count", a line each; "" if there are none.
std::string confusion_text(const std::vector<Confusion>& table, std::size_t most);

}  // namespace hinge
