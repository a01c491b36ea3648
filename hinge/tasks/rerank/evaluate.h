// Scores of choices from lists, and of texts that were chosen already.
#pragma once

#include <string>
#include <utility>

#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {

// Whether the main score is an error rate or a cost, so that less is better.
inline bool lower_is_better(const Costs& costs, const Metric& metric) {
  return costs.width == 0 || metric.is_error();
}

// The main score over the best hypotheses: of the metric, or the mean cost.
std::pair<std::string, double> score_of(const NBestLists& lists, const Costs& costs, const Metric& metric,
                                        const Weights& w, Workers& workers);

// The scores of what `task`, of these lists and costs, picks under w (Eidelman
// 2012, Figures 1 to 6).
struct PickScores {
  double oracle;
  double prediction;
};
PickScores score_picks(const NBestLists& lists, const Costs& costs, const Metric& metric,
                       const RerankTask& task, const Weights& w, Workers& workers);

// All a report says: the score, that of the list's first hypotheses and of the
// best choice there is.
Evaluation report(const NBestLists& lists, const Costs& costs, const Metric& metric, const Weights& w,
                  Workers& workers);

// One hypothesis per line of `system` against references, files separated by commas.
Evaluation evaluate_texts(const std::string& gold, const std::string& system, Metric& metric);

}  // namespace hinge::rerank
