// AdaDelta (Zeiler 2012, Algorithm 1): the step of each weight is the ratio of
// the root mean squares of its past steps and of its past gradients, both
// forgotten at the rate rho, so that there is no step size to choose.
//
// For sparse gradients a weight lives only in the steps that touch it: its
// averages do not fade while it is idle, and the gradient of 1/2 lambda |w|^2 of
// the idle steps is added when it is next read. That is not the same as
// touching every weight at every step, which would cost the whole vector.
#pragma once

#include "hinge/learn/steps/lazy_step.h"

namespace hinge {

struct AdaDeltaSettings {
  double rho = 0.95;
  double epsilon = 1e-6;
  double lambda = 0.0;  // share_of_regularizer
  bool average = false;
};

std::unique_ptr<LazyStep> make_adadelta(std::size_t dimension, const AdaDeltaSettings& settings);

}  // namespace hinge
