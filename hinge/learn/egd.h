// Exponentiated gradient on the dual of the structural SVM with L1-loss.
//
//   max_p  C sum_i E_{p_i}[Delta] - 1/2 |w(p)|^2,   w(p) = C sum_i ( Phi_i(gold) - E_{p_i}[Phi] )
//
// Collins, Globerson, Koo, Carreras, Bartlett (JMLR 2008), the online form: the
// dual variables of an example are a distribution over its outputs, stored as
// exp(theta_i) with theta_i a sum over parts; a visit multiplies it by the
// exponential of the gradient. theta_i always has the form a Delta + u . Phi, with
// u over the weights that example i can read, so memory is the sum of all supports.
// Step sizes adapt per example so that the dual never falls.
//
// With several shards it is their batch form (section 4.1): all distributions move at
// once by the same gradient, so all theta_i are one a Delta + u . Phi, and one step
// size adapts so that the dual never falls. It needs more passes, each of one or more
// sums over all examples (learn/batch/expect_all.h), and hardly any memory.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct EgdOptions {
  std::int64_t epochs = 10;
  double C = 0.1;
  double eta = 1.0;
  bool average = false;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("eta", eta, "initial step size of every example; it adapts").above(0);
    table.add("average", average, "keep the mean of the weights over all steps");
  }
};

std::unique_ptr<Learner> make_egd(const Task& task, const EgdOptions& options, Workers& workers);

}  // namespace hinge
