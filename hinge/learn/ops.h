// Online primal subgradient descent with AdaGrad steps.
//
//   min_w  R(w) + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ],   R = 1/2 |w|^2 or |w|_1
//
// Kummerfeld, Berg-Kirkpatrick, Klein (EMNLP 2015), Algorithm 1. Each batch of
// b examples is decoded under one w; its share of the regularizer, divided by
// C, is lambda_b = 1 / (C ceil(n / b)) (their "C" is our lambda_b). A weight without
// gradient is not touched: it is brought up to date when next read.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct OpsOptions {
  std::int64_t epochs = 10;
  double C = 0.3;
  double eta = 0.05;
  std::string regularizer = "l2";
  std::int64_t batch = 1;
  bool average = false;
  double tolerance = 1e-3;
  bool lazy = true;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against the regularizer").above(0);
    table.add("eta", eta, "step size").above(0);
    table.add("regularizer", regularizer, "l2: 1/2 |w|^2; l1: |w|_1, which makes small models")
        .one_of({"l2", "l1"});
    table.add("batch", batch, "examples per update; they are decoded in parallel").at_least(1);
    table.add("average", average, "keep the mean of the weights over all steps");
    table
        .add("tolerance", tolerance,
             "how much of its decay a weight may lack when it is read; all of it is done in the model")
        .at_least(0);
    table.add("lazy", lazy, "update weights only when they are read; false: all weights at every step");
  }
};

std::unique_ptr<Learner> make_ops(const Task& task, const OpsOptions& options, Workers& workers);

}  // namespace hinge
