#include "hinge/tasks/rerank/memory.h"

#include <algorithm>
#include <cmath>

namespace hinge::rerank {

Lists::Lists(NBestLists given, References texts) : lists(std::move(given)), references(std::move(texts)) {
  const auto finite = [](float number) { return std::isfinite(number); };
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h) {
      const std::span<const float> values = lists.row(h).values;
      if (std::ranges::all_of(values, finite) && (lists.scores.empty() || finite(lists.scores[h])) &&
          (lists.costs.empty() || finite(lists.costs[h])))
        continue;
      fail<InputError>("list {}, hypothesis {}: a value, its score or its cost is not a finite number",
                       list + 1, h - lists.begin(list) + 1);
    }
  }
}

}  // namespace hinge::rerank
