#include "hinge/evaluate/bleu.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace hinge {
namespace {

double brevity_penalty(const BleuStats& stats) {
  if (stats.length >= stats.reference_length) return 1.0;
  return stats.length > 0.0 ? std::exp(1.0 - stats.reference_length / stats.length) : 0.0;
}

template <typename T>
BleuStats from_vector(std::span<const T> values) {
  assert(values.size() == BleuMetric::kWidth);
  BleuStats stats;
  std::copy_n(values.begin(), kBleuOrder, stats.match.begin());
  std::copy_n(values.begin() + kBleuOrder, kBleuOrder, stats.total.begin());
  stats.length = values[2 * kBleuOrder];
  stats.reference_length = values[2 * kBleuOrder + 1];
  return stats;
}

}  // namespace

BleuStats& BleuStats::operator+=(const BleuStats& other) {
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    match[n] += other.match[n];
    total[n] += other.total[n];
  }
  length += other.length;
  reference_length += other.reference_length;
  return *this;
}

BleuStats& BleuStats::operator-=(const BleuStats& other) {
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    match[n] -= other.match[n];
    total[n] -= other.total[n];
  }
  length -= other.length;
  reference_length -= other.reference_length;
  return *this;
}

double bleu(const BleuStats& stats, const BleuOptions& options) {
  // If no word matches, no longer n-gram does.
  if (stats.match[0] <= 0.0) return 0.0;
  double logs = 0.0;
  double orders = 0.0;
  double half = 1.0;  // for kExp
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    const double more = options.smoothing == BleuSmoothing::kAddK && n > 0 ? options.value : 0.0;
    const double total = stats.total[n] + more;
    double match = stats.match[n] + more;
    if (total <= 0.0 && options.effective_order) break;
    if (match <= 0.0 && options.smoothing == BleuSmoothing::kExp) match = half *= 0.5;
    if (match <= 0.0 && options.smoothing == BleuSmoothing::kFloor) match = options.value;
    if (match <= 0.0 || total <= 0.0) return 0.0;
    logs += std::log(match / total);
    orders += 1.0;
  }
  return 100.0 * brevity_penalty(stats) * std::exp(logs / orders);
}

double sentence_bleu(const BleuStats& stats) {
  return bleu(stats, {.smoothing = BleuSmoothing::kAddK, .value = 1.0});
}

// ---- Counting

void BleuCounter::clear() {
  ngrams_.clear();
  lengths_.clear();
}

void BleuCounter::add_reference(std::span<const std::uint32_t> words) {
  ngrams_.add(words);
  lengths_.push_back(words.size());
}

double BleuCounter::closest_length(std::size_t length) const {
  const auto distance = [length](std::size_t other) {
    return other > length ? other - length : length - other;
  };
  std::size_t closest = lengths_.front();
  for (const std::size_t other : lengths_) {
    const bool closer = distance(other) < distance(closest);
    if (closer || (distance(other) == distance(closest) && other < closest)) closest = other;
  }
  return static_cast<double>(closest);
}

BleuStats BleuCounter::count(std::span<const std::uint32_t> words) {
  assert(!lengths_.empty());
  std::array<std::uint32_t, kBleuOrder> matches{};
  ngrams_.match(words, matches);
  BleuStats stats;
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    stats.match[n] = matches[n];
    stats.total[n] = static_cast<double>(ngram_total(words.size(), n + 1));
  }
  stats.length = static_cast<double>(words.size());
  stats.reference_length = closest_length(words.size());
  return stats;
}

// ---- Metric interface

void BleuMetric::set_references(std::span<const Words> references) {
  check_references(references);
  ids_.clear();
  counter_.clear();
  for (const Words& reference : references) {
    ids_.add_all(reference, sentence_);
    counter_.add_reference(sentence_);
  }
}

void BleuMetric::count(std::span<const std::string_view> words, std::span<float> stats) {
  assert(stats.size() == kWidth);
  ids_.find_all(words, sentence_);
  const BleuStats counts = counter_.count(sentence_);
  for (std::size_t n = 0; n < kBleuOrder; ++n) {
    stats[n] = static_cast<float>(counts.match[n]);
    stats[kBleuOrder + n] = static_cast<float>(counts.total[n]);
  }
  stats[2 * kBleuOrder] = static_cast<float>(counts.length);
  stats[2 * kBleuOrder + 1] = static_cast<float>(counts.reference_length);
}

double BleuMetric::score(std::span<const double> sum) const { return bleu(from_vector(sum)); }

double BleuMetric::sentence_score(std::span<const float> stats) const {
  return sentence_bleu(from_vector(stats));
}

}  // namespace hinge
