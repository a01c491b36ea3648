// The contents of a `rerank` model file, and choosing from lists with it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/core/weights.h"
#include "hinge/model/model_file.h"
#include "hinge/tasks/rerank/features.h"

namespace hinge::rerank {

std::size_t stored_ngrams(const ModelFile& file);  // the longest in training, or 0

// Chooses from lists with a model. Immutable: threads may share one.
class Reranker {
 public:
  // The file is not needed later.
  explicit Reranker(const ModelFile& file);

  // The lists with only the features of the model.
  NBestLists under_model(const NBestLists& lists) const { return with_names(lists, names_, ngrams_); }
  // [hypotheses]; choose the highest in each list, the first if tied.
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

// Names and weights as stored in a model.
struct StoredWeights {
  explicit StoredWeights(const ModelFile& file);
  std::vector<std::string> names;
  std::vector<std::uint32_t> value_index;
  std::span<const float> values;
};

}  // namespace hinge::rerank
