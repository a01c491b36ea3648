#include "hinge/tasks/rerank/model.h"

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/files/bytes.h"
#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {

std::size_t stored_ngrams(const ModelFile& file) {
  const auto ngrams = file.description().whole("ngrams");
  if (ngrams < 0 || ngrams > kMostNGrams)
    fail<ModelError>("{}: the length of its n-grams is damaged; train it again", file.name());
  return static_cast<std::size_t>(ngrams);
}

Reranker::Reranker(const ModelFile& file) : ngrams_(stored_ngrams(file)) {
  const StoredWeights stored(file);
  names_ = stored.names;
  value_index_ = stored.value_index;
  weights_ = Weights(names_.size());
  std::ranges::copy(stored.values, weights_.data());
}

std::vector<double> Reranker::scores(const NBestLists& given, Workers& workers) const {
  const NBestLists lists = under_model(given);
  std::vector<double> scores(lists.hypotheses());
  each_until_error(workers, lists.lists(), [&](std::size_t list) {
    check_interrupt();
    for (std::size_t h = lists.begin(list); h < lists.end(list); ++h)
      scores[h] = score_hypothesis(lists, h, weights_);
  }).rethrow();
  return scores;
}

StoredWeights::StoredWeights(const ModelFile& file) : values(file.array<float>("weights")) {
  ByteReader bytes(file.section("names"), "feature names");
  const auto count = bytes.get<std::uint64_t>();
  for (std::uint64_t k = 0; k < count; ++k) {
    names.emplace_back(bytes.get_text());
    value_index.push_back(bytes.get<std::uint32_t>());
  }
  if (values.size() != names.size())
    fail<ModelError>("{}: its weights are cut short; train it again", file.name());
}

}  // namespace hinge::rerank
