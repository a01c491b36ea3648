// Online cutting plane: one rival and a few dual steps per decode, L1-loss.
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]
//
// Kummerfeld, Berg-Kirkpatrick, Klein (EMNLP 2015), section 2.2, after Chang &
// Yih (2013): each visit adds the most violated constraint of an example and
// optimizes the variables of that example alone, with their sum bounded by C.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct OcpOptions {
  std::int64_t epochs = 10;
  double C = 0.1;
  double tolerance = 0.01;
  bool average = false;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("tolerance", tolerance, "gain from which a rival joins the working set").above(0);
    table.add("average", average, "keep the mean of the weights over all steps");
  }
};

std::unique_ptr<Learner> make_ocp(const Task& task, const OcpOptions& options, Workers& workers);

}  // namespace hinge
