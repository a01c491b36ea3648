#include "hinge/evaluate/means.h"

#include <cmath>
#include <numeric>

#include "hinge/core/error.h"
#include "hinge/core/random.h"

namespace hinge {

Mean mean_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  if (values.size() < 2) return {mean, 0.0};
  double squares = 0.0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, std::sqrt(squares / (n - 1.0) / n)};
}

double paired_bootstrap(std::span<const double> a, std::span<const double> b, std::size_t samples,
                        std::uint64_t seed) {
  if (a.size() != b.size()) {
    fail<OptionError>("the systems to compare have {} and {} scores; score both on the same texts", a.size(),
                      b.size());
  }
  if (a.empty()) fail<OptionError>("no scores to compare; give at least one text");
  if (samples == 0) fail<OptionError>("0 bootstrap samples; at least 1 is needed, try 10000");
  Random random(seed);
  std::size_t not_above = 0;
  for (std::size_t sample = 0; sample < samples; ++sample) {
    double difference = 0.0;
    for (std::size_t draw = 0; draw < a.size(); ++draw) {
      const std::size_t text = random.below(a.size());
      difference += a[text] - b[text];
    }
    if (difference <= 0.0) ++not_above;
  }
  return static_cast<double>(not_above) / static_cast<double>(samples);
}

}  // namespace hinge
