// Means over the texts of a corpus, and whether a difference of two systems is chance.
#pragma once

#include <cstdint>
#include <span>

namespace hinge {

struct Mean {
  double mean = 0.0;
  double standard_error = 0.0;  // of the mean; 0 for fewer than two values
};

Mean mean_of(std::span<const double> values);

// Scores of two systems on the same texts. The share of corpora, made by drawing texts with
// replacement, for which the mean of `a` is not above that of `b`: a one-sided p-value for
// "a is better than b" (Koehn, EMNLP 2004). Equal seeds give equal results. Throws
// OptionError if the lists differ in length, are empty, or `samples` is 0.
double paired_bootstrap(std::span<const double> a, std::span<const double> b, std::size_t samples,
                        std::uint64_t seed);

}  // namespace hinge
