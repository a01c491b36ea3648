// Extragradient steps on the saddle point of the structural SVM with L1-loss.
//
//   min_w max_p  1/2 |w|^2 + C sum_i E_{p_i}[ Delta - w . psi_i ]
//
// Taskar, Lacoste-Julien, Jordan (JMLR 2006), with entropy as the Bregman
// divergence for p and a strongly convex term in place of a bound on |w|: look
// ahead with the current gradient, then step from the current point with the
// gradient found ahead. All examples move together, so their distributions are
// exp(a Delta + u . Phi) with one a and one u: no memory per example. A round costs
// two parallel passes of marginals. The model is that of the average look-ahead
// distributions, round k weighted by k.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct ExtragradientOptions {
  std::int64_t epochs = 30;
  double C = 0.1;
  double eta = 1.0;
  double tau = 1.0;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "rounds").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("eta", eta, "initial step size of the distributions; it adapts").above(0);
    table.add("tau", tau, "step size of the weights").above(0);
  }
};

std::unique_ptr<Learner> make_extragradient(const Task& task, const ExtragradientOptions& options,
                                            Workers& workers);

}  // namespace hinge
