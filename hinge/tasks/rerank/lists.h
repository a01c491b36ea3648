// N-best lists under the features of a model.
#pragma once

#include <string>
#include <vector>

#include "hinge/core/scores.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/rerank/memory.h"
#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {

// A feature as weights know it.
struct FeatureName {
  std::string name;
  std::uint32_t part;  // k where it is the k-th value of a name, or 0
};

// The lists with these features before their own, and after them the n-grams of
// their texts, of two words up to `ngrams`.
NBestLists with_more(const NBestLists& lists, const std::vector<FeatureName>& known, std::size_t ngrams);

// The lists with features and n-grams numbered as in `names`; others are dropped.
NBestLists with_names(const NBestLists& lists, const std::vector<std::string>& names, std::size_t ngrams);

inline constexpr std::int64_t kMostNGrams = 9;
std::size_t stored_ngrams(const ModelFile& file);  // the longest that a model was trained with, or 0

struct ReferenceOptions {
  std::string paths;    // separated by commas
  bool subset = false;  // they may have sentences that the lists do not have
};

// Statistics and costs: of a metric against references (of the source in memory,
// or files), or those the lists give. Throws OptionError where there is neither,
// InputError where a sentence has no list.
Costs costs_of(const NBestLists& lists, const Source& source, const ReferenceOptions& references,
               Metric& metric);

// The main score over the best hypotheses: of the metric, or the mean cost.
std::pair<std::string, double> score_of(const NBestLists& lists, const Costs& costs, const Metric& metric,
                                        const Weights& w);

// The scores of what `task`, of these lists and costs, picks under w (Eidelman
// 2012, Figures 1 to 6).
struct PickScores {
  double oracle;
  double prediction;
};
PickScores score_picks(const NBestLists& lists, const Costs& costs, const Metric& metric,
                       const RerankTask& task, const Weights& w);

// All a report says: the score, that of the list's first hypotheses and of the
// best choice there is.
Evaluation report(const NBestLists& lists, const Costs& costs, const Metric& metric, const Weights& w);

// Choosing from lists by a model. Immutable: threads may share one.
class Reranker {
 public:
  // Does not need the file later.
  explicit Reranker(const ModelFile& file);

  // Lists with the features of the model, others dropped.
  NBestLists under_model(const NBestLists& lists) const { return with_names(lists, names_, ngrams_); }
  // [hypotheses] of any lists; the one to choose is the first of the highest in its list.
  std::vector<double> scores(const NBestLists& lists) const;

  const std::vector<std::string>& names() const { return names_; }  // of features
  const std::vector<std::uint32_t>& parts() const { return parts_; }
  const Weights& weights() const { return weights_; }
  std::size_t ngrams() const { return ngrams_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::uint32_t> parts_;
  Weights weights_;
  std::size_t ngrams_;
};

// Names and weights as they lie in a model.
struct StoredWeights {
  explicit StoredWeights(const ModelFile& file);
  std::vector<std::string> names;
  std::vector<std::uint32_t> parts;
  std::span<const float> values;
};

}  // namespace hinge::rerank
