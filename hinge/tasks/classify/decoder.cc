#include "hinge/tasks/classify/decoder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hinge/decode/viterbi.h"

namespace hinge::classify {

std::span<float> score_text(const TextData& data, std::size_t i, const TextLayout& layout, const Weights& w,
                            std::vector<float>& sums) {
  const std::size_t labels = layout.labels;
  const std::size_t stride = padded_labels(labels);
  if (sums.size() < stride) sums.resize(stride);
  const std::span<const std::uint32_t> ids = data.features(i);
  // Rows are far apart in memory: ask for all before summing the first.
  for (const std::uint32_t id : ids) {
    const float* row = w.data() + layout.row(id);
    __builtin_prefetch(row);
    __builtin_prefetch(row + labels - 1);
  }
  sum_rows(w.data(), ids, nullptr, labels, stride, sums.data());
  for (std::size_t y = 0; y < labels; ++y) sums[y] *= data.values[i];
  return std::span(sums).first(labels);
}

std::size_t best_of(std::span<const float> scores) {
  return static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
}

void k_best(std::span<const float> scores, std::size_t k, std::vector<std::size_t>& labels) {
  labels.resize(scores.size());
  std::iota(labels.begin(), labels.end(), std::size_t{0});
  const std::size_t kept = std::min(k, labels.size());
  std::ranges::partial_sort(labels, labels.begin() + static_cast<std::ptrdiff_t>(kept),
                            [&](std::size_t a, std::size_t b) {
                              return scores[a] > scores[b] || (scores[a] == scores[b] && a < b);
                            });
  labels.resize(kept);
}

double softmax(std::span<float> scores) {
  const double most = scores[best_of(scores)];
  double sum = 0.0;
  for (const float score : scores) sum += std::exp(score - most);
  const double log_sum = most + std::log(sum);
  for (float& score : scores) score = static_cast<float>(std::exp(score - log_sum));
  return log_sum;
}

}  // namespace hinge::classify
