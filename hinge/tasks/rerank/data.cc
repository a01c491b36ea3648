#include "hinge/tasks/rerank/data.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/options.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/tasks/rerank/memory.h"

namespace hinge::rerank {
namespace {

void check_complete(const NBestLists& lists, const std::string& name, const References& references,
                    const std::string& path) {
  if (lists.lists() >= references.sentences()) return;  // surplus lists are reported by their ids
  std::vector<bool> has(references.sentences());
  for (const std::uint64_t id : lists.ids) {
    if (id < has.size()) has[id] = true;
  }
  const auto missing = std::ranges::find(has, false) - has.begin();
  fail<InputError>(
      "{}: has lists for {} sentences, but {} has {}; sentence {} (from 0) is missing; if that is intended, "
      "use -p subset=true",
      name, lists.lists(), path, references.sentences(), missing);
}

// Counts the costs of one list at a time; one per thread.
class Counter {
 public:
  Counter(const NBestLists& lists, const References& references, Metric& metric)
      : lists_(lists), references_(references), metric_(metric), wanted_(references.per_sentence()) {}

  void count(std::size_t list, Costs& costs) {
    check_interrupt();
    for (std::size_t r = 0; r < wanted_.size(); ++r)
      split_words(references_.text(lists_.ids[list], r), wanted_[r]);
    metric_.set_references(wanted_);
    for (std::size_t h = lists_.begin(list); h < lists_.end(list); ++h) {
      split_words(lists_.text(h), words_);
      const auto stats = std::span(costs.stats).subspan(h * costs.width, costs.width);
      metric_.count(words_, stats);
      costs.costs[h] = static_cast<float>(metric_.cost(metric_.sentence_score(stats)) / 100.0);
    }
  }

 private:
  const NBestLists& lists_;
  const References& references_;
  Metric& metric_;
  std::vector<Words> wanted_;
  Words words_;
};

// A counter with a metric of its own.
struct OwnCounter {
  OwnCounter(const NBestLists& lists, const References& references, std::string_view name)
      : metric(make_metric(name)), counter(lists, references, *metric) {}
  std::unique_ptr<Metric> metric;
  Counter counter;
};

}  // namespace

Costs count_costs(const NBestLists& lists, const References& given, const std::string& name, Metric& metric,
                  Workers* workers, SpillSpace* space) {
  Costs result{.width = metric.width(), .stats = {}, .costs = {}};
  if (space != nullptr) {
    result.stats.spill(*space);
    result.costs.spill(*space);
  }
  result.stats.resize(lists.hypotheses() * result.width);
  result.costs.resize(lists.hypotheses());
  for (const std::uint64_t id : lists.ids) {
    if (id >= given.sentences())
      fail<InputError>("{}: has {} lines, but a list has the id {}; ids count the lines from 0", name,
                       given.sentences(), id);
  }
  if (workers == nullptr) {
    Counter counter(lists, given, metric);
    for (std::size_t list = 0; list < lists.lists(); ++list) counter.count(list, result);
    return result;
  }
  PerThread<OwnCounter> counters(*workers, [&] { return OwnCounter(lists, given, metric.name()); });
  each_until_error(*workers, lists.lists(), [&](std::size_t list) {
    counters.local().counter.count(list, result);
  }).rethrow();
  return result;
}

Costs costs_of(const NBestLists& lists, const Source& source, const ReferenceOptions& references,
               Metric& metric, Workers* workers, SpillSpace* space) {
  const auto memory = memory_of<Lists>(source, "n-best lists");
  if (memory != nullptr && memory->references.per_sentence() > 0)
    return count_costs(lists, memory->references, "references", metric, workers, space);
  const std::vector<std::string> paths = split_list(references.paths);
  if (!paths.empty()) {
    const References given = read_references(paths);
    if (!references.subset) check_complete(lists, source.name(), given, paths[0]);
    return count_costs(lists, given, paths[0], metric, workers, space);
  }
  if (lists.costs.empty())
    fail<OptionError>(
        "{}: gives no costs, so references are needed; give them with --refs, or name the cost feature with "
        "-p cost=NAME",
        source.name());
  Costs given{.width = 0, .stats = {}, .costs = {}};
  if (space != nullptr) given.costs.spill(*space);
  given.costs.append(lists.costs);
  return given;
}

}  // namespace hinge::rerank
