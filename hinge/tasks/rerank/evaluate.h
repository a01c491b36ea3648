// Scores choices from lists, and texts already chosen.
#pragma once

#include <string>
#include <utility>

#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {

// Whether the main score is an error rate or a cost.
inline bool lower_is_better(const Costs& costs, const Metric& metric) {
  return costs.width == 0 || metric.is_error();
}

// The main score of the best hypotheses: the metric or the mean cost.
std::pair<std::string, double> score_of(const NBestLists& lists, const Costs& costs, const Metric& metric,
                                        const Weights& w, Workers& workers);

// Scores of what `task`, made from these lists and costs, picks under w (Eidelman
// 2012, Figures 1 to 6).
struct PickScores {
  double oracle;
  double prediction;
};
PickScores score_picks(const NBestLists& lists, const Costs& costs, const Metric& metric,
                       const RerankTask& task, const Weights& w, Workers& workers);

// The full report: the score, that of the first hypotheses of the lists, and that
// of the oracle.
Evaluation report(const NBestLists& lists, const Costs& costs, const Metric& metric, const Weights& w,
                  Workers& workers);

// One hypothesis per line of `system`; `gold`: reference files, separated by commas.
Evaluation evaluate_texts(const std::string& gold, const std::string& system, Metric& metric);

}  // namespace hinge::rerank
