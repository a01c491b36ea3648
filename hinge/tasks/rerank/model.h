// What a model file of `rerank` holds, and choices from lists by it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/core/weights.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/rerank/features.h"

namespace hinge::rerank {

std::size_t stored_ngrams(const ModelFile& file);  // the longest that a model was trained with, or 0

// Choosing from lists by a model. Immutable: threads may share one.
class Reranker {
 public:
  // Does not need the file later.
  explicit Reranker(const ModelFile& file);

  // Lists with the features of the model, others dropped.
  NBestLists under_model(const NBestLists& lists) const { return with_names(lists, names_, ngrams_); }
  // [hypotheses] of any lists; the one to choose is the first of the highest in its list.
  std::vector<double> scores(const NBestLists& lists, Workers& workers) const;

  const std::vector<std::string>& names() const { return names_; }  // of features
  const std::vector<std::uint32_t>& value_index() const { return value_index_; }
  const Weights& weights() const { return weights_; }
  std::size_t ngrams() const { return ngrams_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::uint32_t> value_index_;
  Weights weights_;
  std::size_t ngrams_;
};

// Names and weights as they lie in a model.
struct StoredWeights {
  explicit StoredWeights(const ModelFile& file);
  std::vector<std::string> names;
  std::vector<std::uint32_t> value_index;
  std::span<const float> values;
};

}  // namespace hinge::rerank
