#include "hinge/learn/expect_all.h"

#include <cmath>

#include "hinge/core/error.h"

namespace hinge {

void check_expectation(const Expectation& expectation, std::size_t example) {
  if (!std::isfinite(expectation.log_loss)) {
    fail<InputError>(
        "example {}: the log-loss is {}, so weights or feature values overflowed; scale the features or "
        "lower "
        "C",
        example, expectation.log_loss);
  }
  if (!(expectation.expected_loss >= 0.0) || !std::isfinite(expectation.expected_loss)) {
    fail<InputError>(
        "example {}: the task gave a loss of {}, but losses are finite and never negative; check its loss",
        example, expectation.expected_loss);
  }
}

}  // namespace hinge
