#include "hinge/tasks/rerank/evaluate.h"

#include <fmt/core.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/options.h"
#include "hinge/core/shared_work.h"
#include "hinge/corpus/nbest/references.h"

namespace hinge::rerank {
namespace {

// The metric, or else the mean cost, of the hypotheses chosen(list).
template <typename Choice>
double score_choice(const NBestLists& lists, const Costs& costs, const Metric& metric, const Choice& chosen) {
  std::vector<double> sum(costs.width, 0.0);
  double cost = 0.0;
  for (std::size_t i = 0; i < lists.lists(); ++i) {
    check_interrupt();
    lists.use(i);
    const std::size_t h = chosen(i);
    cost += costs.costs[h];
    if (costs.width > 0) add_stats(1.0, std::span(costs.stats).subspan(h * costs.width, costs.width), sum);
  }
  return costs.width > 0 ? metric.score(sum) : cost / static_cast<double>(lists.lists());
}

}  // namespace

std::pair<std::string, double> score_of(const NBestLists& lists, const Costs& costs, const Metric& metric,
                                        const Weights& w, Workers& workers) {
  const auto best = share_values<std::size_t>(lists.lists(), workers, [&](std::size_t i) {
    check_interrupt();
    return best_of(lists, i, w);
  });
  return {costs.width > 0 ? std::string(metric.name()) : "cost",
          score_choice(lists, costs, metric, [&](std::size_t i) { return best[i]; })};
}

PickScores score_picks(const NBestLists& lists, const Costs& costs, const Metric& metric,
                       const RerankTask& task, const Weights& w, Workers& workers) {
  if (const auto* context = find_extension<ContextTask>(task)) context->context().see(w);
  ScratchPool scratch(task, workers);
  const auto picks = share_values<RerankTask::Pick>(lists.lists(), workers, [&](std::size_t i) {
    check_interrupt();
    return task.pick(i, w, /*loss_weight=*/1.0, scratch.local());
  });
  return {score_choice(lists, costs, metric, [&](auto i) { return picks[i].oracle; }),
          score_choice(lists, costs, metric, [&](auto i) { return picks[i].prediction; })};
}

Evaluation report(const NBestLists& lists, const Costs& costs, const Metric& metric, const Weights& w,
                  Workers& workers) {
  const auto [name, score] = score_of(lists, costs, metric, w, workers);
  Evaluation result;
  result.scores.emplace_back(name, score);
  result.lower_is_better = lower_is_better(costs, metric);
  // The oracle is greedy: it takes the least cost of each sentence separately.
  const double first = score_choice(lists, costs, metric, [&](std::size_t i) { return lists.begin(i); });
  const double oracle = score_choice(lists, costs, metric, [&](std::size_t i) {
    const auto begin = costs.costs.begin() + static_cast<std::ptrdiff_t>(lists.begin(i));
    const auto end = costs.costs.begin() + static_cast<std::ptrdiff_t>(lists.end(i));
    return static_cast<std::size_t>(std::min_element(begin, end) - costs.costs.begin());
  });
  result.detail.emplace_back("first", Scores{{name, first}});
  result.detail.emplace_back("oracle", Scores{{name, oracle}});
  result.text = fmt::format(
      "{:<8} {:.2f}\nfirst    {:.2f}  the first of each list\noracle   {:.2f}  the least cost of each list\n",
      name, score, first, oracle);
  return result;
}

Evaluation evaluate_texts(const std::string& gold, const std::string& system, Metric& metric) {
  const References references = read_references(split_list(gold));
  const std::string one[] = {system};
  const References hypotheses = read_references(one);
  if (hypotheses.sentences() != references.sentences())
    fail<InputError>("{}: has {} lines, but {} has {}; give one hypothesis per reference", system,
                     hypotheses.sentences(), gold, references.sentences());
  std::vector<Words> wanted(references.per_sentence());
  Words words;
  std::vector<float> stats(metric.width());
  std::vector<double> sum(metric.width(), 0.0);
  for (std::size_t i = 0; i < hypotheses.sentences(); ++i) {
    for (std::size_t r = 0; r < wanted.size(); ++r) split_words(references.text(i, r), wanted[r]);
    metric.set_references(wanted);
    split_words(hypotheses.text(i, 0), words);
    metric.count(words, stats);
    add_stats(1.0, stats, sum);
  }
  const std::string name(metric.name());
  return {.scores = {{name, metric.score(sum)}},
          .detail = {},
          .text = fmt::format("{:<8} {:.2f}\n", name, metric.score(sum)),
          .lower_is_better = metric.is_error()};
}

}  // namespace hinge::rerank
