// AdaDelta (Zeiler 2012, Algorithm 1): the step of each weight is the ratio of the
// root mean squares of its past steps and of its past gradients, both decaying at
// rate rho, so there is no step size to choose.
//
// For sparse gradients a weight changes only in steps that touch it: its averages
// do not decay while it is idle, and the gradient of 1/2 lambda |w|^2 of the idle
// steps is added at the next touch. This differs from updating every weight at
// every step, which would cost a pass over the whole vector.
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
