// DCD-Light: dual coordinate descent for the structural SVM with L2-loss,
// without the passes over the working sets that make DCD-SSVM of it.
//
// Chang & Yih (TACL 2013), Algorithm 2: decode an example, take its rival in,
// sweep that one working set, go on to the next.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct DcdLightOptions {
  std::int64_t epochs = 10;
  double C = 0.05;
  double tolerance = 0.01;
  bool average = false;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("tolerance", tolerance, "violation from which a rival joins the working set").above(0);
    table.add("average", average, "keep the mean of the weights over all steps");
  }
};

std::unique_ptr<Learner> make_dcd_light(const Task& task, const DcdLightOptions& options, Workers& workers);

}  // namespace hinge
