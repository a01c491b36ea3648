#include "hinge/tasks/rerank/compiled.h"

#include <algorithm>
#include <cmath>

namespace hinge::rerank {
namespace {

// What is small, as it is stored.
struct Record {
  std::vector<std::string> names;
  std::vector<std::uint32_t> value_index;
  std::uint64_t width = 0, lists = 0, hypotheses = 0, fingerprint = 0;

  void visit(State& state) { state(names, value_index, width, lists, hypotheses, fingerprint); }
};

// What training reads of lists: no texts.
struct ListColumns {
  std::size_t width = 0;  // of stats
  Column<std::uint64_t> ids;
  Column<std::uint64_t> list_begin;
  Column<std::uint64_t> row_begin;
  Column<std::uint32_t> features;
  Column<float> values;
  Column<float> stats;
  Column<float> costs;

  template <typename Data, typename Body>
  static void each_column(Data& d, const Body& body) {
    const auto list = [](const ListColumns&, std::size_t i) { return i; };
    const auto hypothesis = [](const ListColumns& c, std::size_t i) { return c.list_begin[i]; };
    const auto entry = [](const ListColumns& c, std::size_t i) { return c.row_begin[c.list_begin[i]]; };
    body("ids", d.ids, list);
    body("list_begin", d.list_begin, list);
    body("row_begin", d.row_begin, hypothesis);
    body("features", d.features, entry);
    body("values", d.values, entry);
    body("stats", d.stats, [](const ListColumns& c, std::size_t i) { return c.list_begin[i] * c.width; });
    body("costs", d.costs, hypothesis);
  }
};

ListColumns columns_of(const ListParts& parts) {
  const NBestLists& lists = parts.lists;
  ListColumns columns{.width = parts.costs.width};
  const auto view = [&](auto& column, const auto& values) { column.view(values, lists.owner); };
  view(columns.ids, lists.ids);
  view(columns.list_begin, lists.list_begin);
  view(columns.row_begin, lists.row_begin);
  view(columns.features, lists.features);
  view(columns.values, lists.values);
  view(columns.stats, std::span<const float>(parts.costs.stats));
  view(columns.costs, std::span<const float>(parts.costs.costs));
  return columns;
}

bool fits(const NBestLists& lists, const Costs& costs, std::size_t examples) {
  const std::size_t hypotheses = costs.costs.size();
  return lists.ids.size() == examples && lists.list_begin.size() == examples + 1 &&
         lists.row_begin.size() == hypotheses + 1 && lists.values.size() == lists.features.size() &&
         costs.stats.size() == hypotheses * costs.width;
}

void open_lists(const std::shared_ptr<BlockCache>& cache, std::size_t width, ListParts& parts) {
  ListColumns columns{.width = width};
  cache->read_columns(columns, cache);
  NBestLists& lists = parts.lists;
  lists.ids = columns.ids;
  lists.list_begin = columns.list_begin;
  lists.row_begin = columns.row_begin;
  lists.features = columns.features;
  lists.values = columns.values;
  lists.owner = cache;
  lists.use.set(cache);
  parts.costs = {.width = width, .stats = std::move(columns.stats), .costs = std::move(columns.costs)};
  if (!fits(lists, parts.costs, cache->examples())) cache->refuse("has columns that do not fit each other");
}

bool are_finite(std::span<const float> values) {
  return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
}

bool are_sound_pairs(const ListParts& parts, std::size_t first, std::size_t last) {
  const PairData& pairs = parts.pairs;
  if (!is_rising(part_of(pairs.begin, first, last + 1), pairs.entries.size())) return false;
  return std::ranges::all_of(
      part_of(pairs.entries, pairs.begin[first], pairs.begin[last]),
      [&](const Entry& entry) { return entry.id < parts.names.size() && std::isfinite(entry.value); });
}

// Features rise, so that scores are sums over different ones.
bool are_rows(const ListParts& parts, std::size_t first, std::size_t last) {
  for (std::size_t h = first; h < last; ++h) {
    const FeatureRow row = parts.lists.row(h);
    if (std::ranges::adjacent_find(row.features, std::greater_equal()) != row.features.end() ||
        (!row.features.empty() && row.features.back() >= parts.names.size()) || !are_finite(row.values))
      return false;
  }
  return true;
}

}  // namespace

void write_parts(const ListParts& parts, BlockCacheWriter& out) {
  Record record{.names = parts.names,
                .value_index = parts.value_index,
                .width = parts.costs.width,
                .lists = parts.list_count,
                .hypotheses = parts.hypotheses,
                .fingerprint = *parts.fingerprint};
  out.add_state(record);
  const ListColumns columns = columns_of(parts);
  if (parts.pairs.size() > 0)
    out.add_columns(parts.pairs, parts.pairs.size());
  else
    out.add_columns(columns, parts.list_count);
  out.write();
}

ListParts open_parts(std::shared_ptr<BlockCache> cache, const RerankOptions& options) {
  Record record;
  cache->read_state(record);
  ListParts parts;
  if (options.pairs > 0) {
    cache->read_columns(parts.pairs, cache);
    parts.pairs.use.set(cache);
    parts.costs.width = record.width;
    if (parts.pairs.size() != cache->examples()) cache->refuse("has columns that do not fit each other");
  } else {
    open_lists(cache, record.width, parts);
  }
  if (record.names.size() != record.value_index.size()) cache->refuse("has names that do not fit");
  parts.names = std::move(record.names);
  parts.value_index = std::move(record.value_index);
  parts.list_count = record.lists;
  parts.hypotheses = record.hypotheses;
  parts.fingerprint = record.fingerprint;
  parts.cache = std::move(cache);
  return parts;
}

bool is_sound(const ListParts& parts, std::size_t first, std::size_t last) {
  if (parts.pairs.size() > 0) return are_sound_pairs(parts, first, last);
  const NBestLists& lists = parts.lists;
  const auto begins = lists.list_begin.subspan(first, last + 1 - first);
  if (std::ranges::adjacent_find(begins, std::greater_equal()) != begins.end() ||
      begins.back() > lists.hypotheses())
    return false;
  const std::size_t from = begins.front(), to = begins.back(), width = parts.costs.width;
  return is_rising(lists.row_begin.subspan(from, to + 1 - from), lists.features.size()) &&
         are_rows(parts, from, to) && are_finite(part_of(parts.costs.costs, from, to)) &&
         are_finite(part_of(parts.costs.stats, from * width, to * width));
}

}  // namespace hinge::rerank
