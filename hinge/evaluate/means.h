// Means over the texts of a corpus.
#pragma once

#include <span>

namespace hinge {

struct Mean {
  double mean = 0.0;
  double standard_error = 0.0;  // of the mean; 0 for fewer than two values
};

Mean mean_of(std::span<const double> values);

}  // namespace hinge
