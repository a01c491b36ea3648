// AdaGrad with L1 or L2 regularization and lazy updates.
//
// Kummerfeld, Berg-Kirkpatrick, Klein (EMNLP 2015), Algorithm 1: each weight
// has its own step eta / sqrt(q), q the sum of its squared gradients, and the
// regularizer is solved for exactly within the step. A weight without gradient
// is not touched; it is brought up to date, together with its neighbours, when
// it is stepped, or read while the regularizer owes it more than `tolerance`
// (learn/steps/adagrad_kernels.h).
#pragma once

#include "hinge/learn/steps/lazy_step.h"

namespace hinge {

struct AdaGradSettings {
  double eta;
  double lambda;         // share_of_regularizer
  bool l1 = false;       // |w|_1 in place of 1/2 |w|^2
  bool lazy = true;      // false: update every weight at every step, for comparison
  bool average = false;  // the model is the mean of w over all steps
  double tolerance = 0;  // how far from its value a weight may be when it is read
};

std::unique_ptr<LazyStep> make_adagrad(std::size_t dimension, const AdaGradSettings& settings);

}  // namespace hinge
