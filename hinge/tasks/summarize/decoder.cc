#include "hinge/tasks/summarize/decoder.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hinge::summarize {
namespace {

double product(std::span<const float> row, const float* w) {
  return std::inner_product(row.begin(), row.end(), w, 0.0, std::plus<>(),
                            [](float x, float y) { return static_cast<double>(x) * static_cast<double>(y); });
}

}  // namespace

void Decoder::weigh(const TopicView& data, const float* w, double loss_weight) {
  weights_.resize(data.keys.size());
  own_.resize(data.origins.size());
  for (std::size_t c = 0; c < weights_.size(); ++c) {
    weights_[c] = product(data.bigram_row(c, layout_), w);
    if (loss_weight != 0.0) weights_[c] -= loss_weight * data.gains[c];
  }
  for (std::size_t i = 0; i < own_.size(); ++i) {
    own_[i] = product(data.piece_row(i, layout_), w + layout_.bigrams);
    if (loss_weight != 0.0) own_[i] += loss_weight * data.costs[i];
  }
}

const CoverageSolution& Decoder::solve(const TopicView& data, std::span<const char> warm) {
  return solver_.solve(data.coverage, {weights_, own_}, limits_, warm);
}

const CoverageSolution& Decoder::summarize(const TopicView& data) {
  summary_ = solve(data, {});
  if (std::ranges::find(summary_.chosen, 1) == summary_.chosen.end()) take_best_sentence(data);
  return summary_;
}

// The pieces of a sentence, and their occurrences, stand together.
void Decoder::take_best_sentence(const TopicView& data) {
  const CoverageView& problem = data.coverage;
  struct {
    std::size_t begin = 0, end = 0;
    double value = -std::numeric_limits<double>::infinity();
  } best;
  const auto offer = [&](std::size_t begin, std::size_t end, std::span<const Occurrence> occurrences) {
    std::uint64_t length = 0;
    for (std::size_t i = begin; i < end; ++i) length += problem.pieces[i].length;
    if (length > problem.limit) return;
    const double value = value_of(begin, end, occurrences);
    if (value > best.value) best = {begin, end, value};
  };
  std::size_t first = 0, last = 0;  // occurrences of the sentence
  for (std::size_t begin = 0, end = 0; begin < problem.pieces.size(); begin = end, first = last) {
    while (++end < problem.pieces.size() && problem.pieces[end].parent != kNoPiece) {
    }
    while (last < problem.occurrences.size() && problem.occurrences[last].first < end) ++last;
    const auto occurrences = problem.occurrences.subspan(first, last - first);
    offer(begin, end, occurrences);
    if (end > begin + 1) offer(begin, begin + 1, occurrences);
  }
  if (best.begin == best.end) return;  // nothing fits
  std::fill(summary_.chosen.begin() + static_cast<std::ptrdiff_t>(best.begin),
            summary_.chosen.begin() + static_cast<std::ptrdiff_t>(best.end), 1);
  summary_.value = best.value;
  if (summary_.exact) summary_.bound = best.value;
}

double Decoder::value_of(std::size_t begin, std::size_t end, std::span<const Occurrence> occurrences) {
  ids_.clear();
  for (const Occurrence& occurrence : occurrences) {
    if (occurrence.first < end && occurrence.second < end) ids_.push_back(occurrence.id);
  }
  std::ranges::sort(ids_);
  ids_.erase(std::unique(ids_.begin(), ids_.end()), ids_.end());
  double value = 0.0;
  for (std::size_t i = begin; i < end; ++i) value += own_[i];
  for (const std::uint32_t id : ids_) value += weights_[id];
  return value;
}

}  // namespace hinge::summarize
