#include "hinge/tasks/constituents/flat_classifier.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"

namespace hinge::constituents {
namespace {

constexpr int kBits = 18;

std::size_t slot(Key key) { return static_cast<std::size_t>(combine(key, 0x6175) >> (64 - kBits)); }

}  // namespace

FlatClassifier::FlatClassifier() : counts_(std::size_t{1} << kBits) {}

void FlatClassifier::count(std::span<const Key> keys, bool phrase) {
  (phrase ? all_.yes : all_.no) += 1.0f;
  for (const Key key : keys) {
    Counts& counts = counts_[slot(key)];
    (phrase ? counts.yes : counts.no) += 1.0f;
  }
}

void FlatClassifier::add(const FlatClassifier& other) {
  all_.yes += other.all_.yes;
  all_.no += other.all_.no;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    counts_[k].yes += other.counts_[k].yes;
    counts_[k].no += other.counts_[k].no;
  }
}

// The mean of the keys' logarithmic odds: they are far from independent, so their sum
// would be too sure.
std::uint8_t FlatClassifier::grade(std::span<const Key> keys) const {
  constexpr float kSmooth = 0.5f;
  const float prior = std::log((all_.yes + kSmooth) / (all_.no + kSmooth));
  float sum = 0.0f;
  for (const Key key : keys) {
    const Counts& counts = counts_[slot(key)];
    // Few observations are drawn towards the prior.
    const float share = (all_.yes + kSmooth) / (all_.yes + all_.no + 2 * kSmooth);
    sum += std::log((counts.yes + 2 * share) / (counts.no + 2 * (1 - share))) - prior;
  }
  const float mean = sum / static_cast<float>(std::max<std::size_t>(1, keys.size()));
  return static_cast<std::uint8_t>(std::clamp(static_cast<int>(std::floor(mean * 2.0f)) + 3, 0, kGrades - 1));
}

void FlatClassifier::write(ByteWriter& out) const {
  out.put(all_.yes);
  out.put(all_.no);
  out.put_array(std::span<const Counts>(counts_));
}

FlatClassifier FlatClassifier::load(ByteReader& in) {
  FlatClassifier result;
  result.all_.yes = in.get<float>();
  result.all_.no = in.get<float>();
  result.counts_ = in.get_array<Counts>();
  if (result.counts_.size() != std::size_t{1} << kBits)
    fail<ModelError>("the classifier of the model is damaged; train again");
  return result;
}

}  // namespace hinge::constituents
