// The n-slack cutting-plane method.
//
//   min_w  1/2 |w|^2 + C sum_i xi_i  [or xi_i^2]   s.t.  w . psi_i(y) >= Delta_i(y) - xi_i
//
// Tsochantaridis et al. (ICML 2004), in the batch form of Kummerfeld et al. (EMNLP
// 2015): decode every example, add the constraints violated by more than epsilon
// beyond the slack of the existing ones, solve the dual over all constraints by
// sequential minimal optimization, repeat until nothing is added. Constraints are
// never dropped, so they need not be decoded again.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct CuttingPlaneOptions {
  std::int64_t epochs = 30;
  double C = 0.1;
  double epsilon = 0.05;
  std::string loss = "l1";
  std::int64_t inner_passes = 50;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "maximum rounds of decoding all examples").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("epsilon", epsilon, "minimum violation beyond the slack for adding a constraint").above(0);
    table.add("loss", loss, "l1: the hinge; l2: its square").one_of({"l1", "l2"});
    table.add("inner_passes", inner_passes, "maximum sweeps over all constraints per round").at_least(1);
  }
};

std::unique_ptr<Learner> make_cutting_plane(const Task& task, const CuttingPlaneOptions& options,
                                            Workers& workers);

}  // namespace hinge
