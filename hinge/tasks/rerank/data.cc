#include "hinge/tasks/rerank/data.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/options.h"
#include "hinge/tasks/rerank/memory.h"

namespace hinge::rerank {
namespace {

void check_complete(const NBestLists& lists, const std::string& name, const References& references,
                    const std::string& path) {
  if (lists.lists() >= references.sentences()) return;  // more are told by their ids
  std::vector<bool> has(references.sentences());
  for (const std::uint64_t id : lists.ids) {
    if (id < has.size()) has[id] = true;
  }
  const auto missing = std::ranges::find(has, false) - has.begin();
  fail<InputError>(
      "{}: has lists of {} sentences, but {} has {}; sentence {}, counted from 0, is missing (-p subset=true "
      "where "
      "that is meant)",
      name, lists.lists(), path, references.sentences(), missing);
}

}  // namespace

Costs count_costs(const NBestLists& lists, const References& given, const std::string& name, Metric& metric) {
  Costs result{.width = metric.width(), .stats = {}, .costs = {}};
  result.stats.resize(lists.hypotheses() * result.width);
  result.costs.resize(lists.hypotheses());
  std::vector<Words> wanted(given.per_sentence());
  Words words;
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    check_interrupt();
    if (lists.ids[list] >= given.sentences())
      fail<InputError>("{}: has {} lines, but a list has the id {}; ids count the lines from 0", name,
                       given.sentences(), lists.ids[list]);
    for (std::size_t r = 0; r < wanted.size(); ++r) split_words(given.text(lists.ids[list], r), wanted[r]);
    metric.set_references(wanted);
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h) {
      split_words(lists.text(h), words);
      const auto stats = std::span(result.stats).subspan(h * result.width, result.width);
      metric.count(words, stats);
      result.costs[h] = static_cast<float>(metric.cost(metric.sentence_score(stats)) / 100.0);
    }
  }
  return result;
}

Costs costs_of(const NBestLists& lists, const Source& source, const ReferenceOptions& references,
               Metric& metric) {
  const auto memory = memory_of<Lists>(source, "n-best lists");
  if (memory != nullptr && memory->references.per_sentence() > 0)
    return count_costs(lists, memory->references, "references", metric);
  const std::vector<std::string> paths = split_list(references.paths);
  if (!paths.empty()) {
    const References given = read_references(paths);
    if (!references.subset) check_complete(lists, source.name(), given, paths[0]);
    return count_costs(lists, given, paths[0], metric);
  }
  if (lists.costs.empty())
    fail<OptionError>(
        "{}: gives no costs, so references are needed; name them with --refs, or say with -p cost=NAME "
        "which feature is the cost",
        source.name());
  return {.width = 0, .stats = {}, .costs = {lists.costs.begin(), lists.costs.end()}};
}

}  // namespace hinge::rerank
