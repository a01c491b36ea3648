// Conditional random fields: the log-likelihood of all examples at once, by L-BFGS,
// or by OWL-QN if the regularizer has |w|_1.
//
//   min_w  R(w) + C sum_i ( log sum_y exp(w . Phi_i(y)) - w . Phi_i(gold) ),
//   R = 1/2 |w|^2 + l1 |w|_1  or  |w|_1 alone
//
// The sum of both is the elastic net (Zou, Hastie, J. R. Statist. Soc. B 2005).
// Lafferty, McCallum, Pereira (ICML 2001); the baseline of Yu & Lam (COLING 2010).
// An epoch is one iteration, usually one evaluation, which runs over the examples
// in parallel. By default only weights of features seen with gold outputs are
// learned (as in CRFsuite; CRF++ learns all): far fewer, and as accurate.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct CrfOptions {
  std::int64_t epochs = 200;
  double C = 1.0;
  std::string regularizer = "l2";
  double l1 = 0.0;
  bool unobserved = false;
  double tolerance = 2e-4;
  std::int64_t memory = 6;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "maximum iterations").at_least(1);
    table.add("C", C, "weight of the loss against the regularizer").above(0);
    table.add("regularizer", regularizer, "l2: 1/2 |w|^2; l1: |w|_1, which makes small models")
        .one_of({"l2", "l1"});
    table.add("l1", l1, "weight of |w|_1 added to 1/2 |w|^2 (elastic net)").at_least(0);
    table.add("unobserved", unobserved, "also learn weights of features never seen with gold outputs");
    table.add("tolerance", tolerance, "stop when 10 iterations lower the objective by a smaller fraction")
        .above(0);
    table.add("memory", memory, "past iterations used for the next step").at_least(1).at_most(100);
  }
};

std::unique_ptr<Learner> make_crf(const Task& task, const CrfOptions& options, Workers& workers);

}  // namespace hinge
