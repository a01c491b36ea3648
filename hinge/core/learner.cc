#include "hinge/core/learner.h"

#include <cmath>

#include "hinge/core/error.h"

namespace hinge {

void check_cut(const Cut& cut, std::size_t example) {
  if (!(cut.loss >= 0.0) || !std::isfinite(cut.loss)) {
    fail<InputError>(
        "example {}: the task gave a loss of {}, but losses are finite and never negative; check its loss",
        example, cut.loss);
  }
  if (!std::isfinite(cut.margin)) {
    fail<InputError>(
        "example {}: the margin is {}, so weights or feature values overflowed; scale the features or lower "
        "C",
        example, cut.margin);
  }
}

}  // namespace hinge
