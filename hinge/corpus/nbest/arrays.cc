#include "hinge/corpus/nbest/arrays.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <xxhash.h>

#include <algorithm>
#include <numeric>
#include <span>

namespace hinge {
namespace {

// Two hypotheses are equal if their texts and features are.
struct Content {
  const NBestArrays* arrays;

  std::span<const std::uint32_t> features(std::uint64_t h) const {
    return std::span(arrays->features).subspan(arrays->row_begin[h], length(h));
  }
  std::span<const float> values(std::uint64_t h) const {
    return std::span(arrays->values).subspan(arrays->row_begin[h], length(h));
  }

 private:
  std::size_t length(std::uint64_t h) const { return arrays->row_begin[h + 1] - arrays->row_begin[h]; }
};

struct ContentHash : Content {
  std::size_t operator()(std::uint64_t h) const {
    const std::string_view text = arrays->text(h);
    const std::uint64_t of_features = XXH3_64bits(features(h).data(), features(h).size_bytes());
    const std::uint64_t of_values =
        XXH3_64bits_withSeed(values(h).data(), values(h).size_bytes(), of_features);
    return XXH3_64bits_withSeed(text.data(), text.size(), of_values);
  }
};

struct ContentEqual : Content {
  bool operator()(std::uint64_t a, std::uint64_t b) const {
    return arrays->text(a) == arrays->text(b) && std::ranges::equal(features(a), features(b)) &&
           std::ranges::equal(values(a), values(b));
  }
};

// List indices, lists with equal ids next to each other.
std::vector<std::size_t> joined_order(const Column<std::uint64_t>& ids) {
  absl::flat_hash_map<std::uint64_t, std::size_t> first;  // first list with that id
  std::vector<std::size_t> rank, order(ids.size());
  for (std::size_t list = 0; list < ids.size(); ++list) {
    rank.push_back(first.try_emplace(ids[list], list).first->second);
  }
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rank[a] < rank[b]; });
  return order;
}

// The rows listed in `order`, in that order.
template <typename Values>
Values rows_of(const Column<std::uint64_t>& begin, const Values& values,
               const std::vector<std::uint64_t>& order) {
  Values kept;
  for (const std::uint64_t h : order) {
    kept.append(values.begin() + begin[h], values.begin() + begin[h + 1]);
  }
  return kept;
}

Column<std::uint64_t> begins_of(const Column<std::uint64_t>& begin, const std::vector<std::uint64_t>& order) {
  Column<std::uint64_t> kept = {0};
  kept.reserve(order.size() + 1);
  for (const std::uint64_t h : order) kept.push_back(kept.back() + begin[h + 1] - begin[h]);
  return kept;
}

void keep_numbers(Column<float>& numbers, const std::vector<std::uint64_t>& order) {
  if (numbers.empty()) return;
  Column<float> kept;
  kept.reserve(order.size());
  for (const std::uint64_t h : order) kept.push_back(numbers[h]);
  numbers = std::move(kept);
}

// One array at a time, so that at most one exists twice in memory.
void keep_hypotheses(NBestArrays& arrays, const std::vector<std::uint64_t>& order) {
  arrays.texts = rows_of(arrays.text_begin, arrays.texts, order);
  arrays.text_begin = begins_of(arrays.text_begin, order);
  arrays.features = rows_of(arrays.row_begin, arrays.features, order);
  arrays.values = rows_of(arrays.row_begin, arrays.values, order);
  arrays.row_begin = begins_of(arrays.row_begin, order);
  keep_numbers(arrays.scores, order);
  keep_numbers(arrays.costs, order);
}

}  // namespace

void NBestArrays::spill(SpillSpace& space) {
  for (auto* column : {&ids, &list_begin, &text_begin, &row_begin}) column->spill(space);
  for (auto* column : {&values, &scores, &costs}) column->spill(space);
  texts.spill(space);
  features.spill(space);
}

void merge_lists(NBestArrays& arrays) {
  Column<std::uint64_t> ids, begin = {0};
  std::vector<std::uint64_t> order;
  absl::flat_hash_set<std::uint64_t, ContentHash, ContentEqual> seen(0, ContentHash{&arrays},
                                                                     ContentEqual{&arrays});
  for (const std::size_t list : joined_order(arrays.ids)) {
    if (ids.empty() || ids.back() != arrays.ids[list]) {
      if (!ids.empty()) begin.push_back(order.size());
      ids.push_back(arrays.ids[list]);
      seen.clear();
    }
    for (std::uint64_t h = arrays.list_begin[list]; h < arrays.list_begin[list + 1]; ++h) {
      if (seen.insert(h).second) order.push_back(h);
    }
  }
  if (!ids.empty()) begin.push_back(order.size());
  const bool changed = order.size() != arrays.hypotheses() || !std::is_sorted(order.begin(), order.end());
  if (changed) keep_hypotheses(arrays, order);
  arrays.ids = std::move(ids);
  arrays.list_begin = std::move(begin);
}

NBestLists lists_of(std::unique_ptr<const NBestArrays> arrays) {
  NBestLists lists;
  lists.ids = arrays->ids;
  lists.list_begin = arrays->list_begin;
  lists.text_begin = arrays->text_begin;
  lists.texts = arrays->texts;
  lists.row_begin = arrays->row_begin;
  lists.features = arrays->features;
  lists.values = arrays->values;
  lists.scores = arrays->scores;
  lists.costs = arrays->costs;
  lists.cost_name = arrays->cost_name;
  lists.name_begin = arrays->name_begin;
  lists.names = arrays->names;
  lists.value_index = arrays->value_index;
  lists.owner = std::move(arrays);
  return lists;
}

}  // namespace hinge
