#include "hinge/tasks/summarize/decoder.h"

#include <numeric>

namespace hinge::summarize {
namespace {

double product(std::span<const float> row, const float* w) {
  return std::inner_product(row.begin(), row.end(), w, 0.0, std::plus<>(),
                            [](float x, float y) { return static_cast<double>(x) * static_cast<double>(y); });
}

}  // namespace

void Decoder::weigh(const TopicData& data, const float* w, double loss_weight) {
  weights_.resize(data.keys.size());
  own_.resize(data.origins.size());
  for (std::size_t c = 0; c < weights_.size(); ++c) {
    weights_[c] = product(data.bigram_row(c, layout_), w);
    if (loss_weight != 0.0) weights_[c] -= loss_weight * data.gains[c];
  }
  for (std::size_t i = 0; i < own_.size(); ++i)
    own_[i] = product(data.piece_row(i, layout_), w + layout_.bigrams);
}

const CoverageSolution& Decoder::solve(const TopicData& data, std::span<const char> warm) {
  return solver_.solve(data.coverage, {weights_, own_}, limits_, warm);
}

}  // namespace hinge::summarize
