#include "hinge/learn/batch/expect_all.h"

#include <cmath>

#include "hinge/core/error.h"

namespace hinge {

void check_expectation(double log_loss, double expected_loss, std::size_t example) {
  if (!std::isfinite(log_loss)) {
    fail<InputError>(
        "example {}: the log-loss is {}, so weights or feature values overflowed; scale the features, or "
        "lower C or the step size",
        example, log_loss);
  }
  if (!(expected_loss >= 0.0) || !std::isfinite(expected_loss)) {
    fail<InputError>(
        "example {}: the task gave a loss of {}, but losses are finite and never negative; check its loss",
        example, expected_loss);
  }
}

}  // namespace hinge
