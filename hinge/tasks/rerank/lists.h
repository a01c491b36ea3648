// N-best lists under the features of a model.
#pragma once

#include <string>
#include <vector>

#include "hinge/core/scores.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {

// The lists with features of neighbouring words of the text beside their own.
NBestLists with_bigrams(const NBestLists& lists);

// The lists with features numbered as in `names`; others are dropped.
NBestLists with_names(const NBestLists& lists, const std::vector<std::string>& names, bool bigrams);

// Statistics and costs: of a metric against references (names separated by
// commas), or those the lists give. Throws OptionError where there is neither.
Costs costs_of(const NBestLists& lists, const std::string& path, const std::string& references,
               Metric& metric);

// The main score over the best hypotheses: of the metric, or the mean cost.
std::pair<std::string, double> score_of(const NBestLists& lists, const Costs& costs, const Metric& metric,
                                        const Weights& w);

// Adds the score of what `task`, of these lists and costs, picks under w: "oracle"
// and "prediction" (Eidelman 2012, Figures 1 to 6).
void score_picks(const NBestLists& lists, const Costs& costs, const Metric& metric, const RerankTask& task,
                 const Weights& w, Scores& scores);

// All a report says: the score, that of the list's first hypotheses and of the
// best choice there is.
Evaluation report(const NBestLists& lists, const Costs& costs, const Metric& metric, const Weights& w);

// Names and weights as they lie in a model.
struct StoredWeights {
  explicit StoredWeights(const ModelFile& file);
  std::vector<std::string> names;
  std::vector<std::uint32_t> parts;
  std::span<const float> values;
};

}  // namespace hinge::rerank
