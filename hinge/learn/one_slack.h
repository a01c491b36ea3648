// The 1-slack cutting-plane method: one constraint for the whole training set.
//
//   min_w  1/2 |w|^2 + C xi   s.t.  w . sum_i psi_i(y_i) >= sum_i Delta_i(y_i) - xi
//
// Joachims, Finley, Yu (Machine Learning 2009), Algorithm 4, as in SVM-struct 3.10.
// Each round decodes everything in parallel and adds one plane; the dual has one
// variable per plane, few enough to solve exactly. Planes unused for a while are
// dropped. Unlike there, a plane is found between the best point so far and the
// minimum of the planes (in-out separation: Ben-Ameur, Neto, Networks 2007), and the
// best point is the model: several times fewer rounds.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct OneSlackOptions {
  std::int64_t epochs = 300;
  double C = 0.1;
  double epsilon = 0.01;
  std::int64_t keep_idle = 10;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "maximum rounds of decoding all examples").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("epsilon", epsilon, "stop when the mean hinge exceeds that of the planes by at most this")
        .above(0);
    table.add("keep_idle", keep_idle, "rounds after which an unused plane is dropped").at_least(1);
  }
};

std::unique_ptr<Learner> make_one_slack(const Task& task, const OneSlackOptions& options, Workers& workers);

}  // namespace hinge
