#include "hinge/evaluate/edit_rate.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace hinge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// For choosing a reference: an empty one must not win by a rate of 0.
double rate_of(double edits, double length) {
  if (length > 0.0) return edits / length;
  return edits > 0.0 ? kInfinity : 0.0;
}

}  // namespace

double error_rate(double edits, double reference_length) {
  if (reference_length > 0.0) return 100.0 * edits / reference_length;
  return edits > 0.0 ? 100.0 : 0.0;
}

void NumberedReferences::assign(std::span<const Words> references) {
  ids_.clear();
  words_.clear();
  ends_.clear();
  for (const Words& reference : references) {
    for (const std::string_view word : reference) words_.push_back(ids_.add(word));
    ends_.push_back(words_.size());
  }
}

std::span<const std::uint32_t> NumberedReferences::operator[](std::size_t r) const {
  const std::size_t begin = r == 0 ? 0 : ends_[r - 1];
  return std::span(words_).subspan(begin, ends_[r] - begin);
}

std::span<const std::uint32_t> NumberedReferences::find(std::span<const std::string_view> words) {
  ids_.find_all(words, found_);
  return found_;
}

void WerMetric::set_references(std::span<const Words> references) {
  check_references(references);
  references_.assign(references);
}

void WerMetric::count(std::span<const std::string_view> words, std::span<float> stats) {
  assert(references_.size() > 0 && stats.size() == width());
  const std::span<const std::uint32_t> ids = references_.find(words);
  double lowest = kInfinity;
  for (std::size_t r = 0; r < references_.size(); ++r) {
    const auto edits = static_cast<double>(distance_.edits(ids, references_[r]));
    const auto length = static_cast<double>(references_[r].size());
    const double rate = rate_of(edits, length);
    if (r > 0 && rate >= lowest) continue;
    lowest = rate;
    stats[0] = static_cast<float>(edits);
    stats[1] = static_cast<float>(length);
  }
}

void TerMetric::set_references(std::span<const Words> references) {
  check_references(references);
  references_.assign(references);
}

void TerMetric::count(std::span<const std::string_view> words, std::span<float> stats) {
  assert(references_.size() > 0 && stats.size() == width());
  const std::span<const std::uint32_t> ids = references_.find(words);
  std::size_t fewest = std::numeric_limits<std::size_t>::max();
  std::size_t length = 0;
  for (std::size_t r = 0; r < references_.size(); ++r) {
    fewest = std::min(fewest, distance_.edits(ids, references_[r]));
    length += references_[r].size();
  }
  stats[0] = static_cast<float>(fewest);
  stats[1] = static_cast<float>(length) / static_cast<float>(references_.size());
}

}  // namespace hinge
