// Stochastic gradient descent on the hinge, with Bottou's schedule.
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]
//
// As in Chang & Yih (TACL 2013), section 4.3: step t has length
// eta_t = eta0 / (1 + eta0 lambda t)^0.75, and eta0 is the one of 2^-1 ... 2^-5
// with the lowest objective after a pass over 1000 sampled examples. Their lambda is 1/C; ours is
// 1/(C n), the strong convexity per example that the schedule assumes (Bottou
// 2010), since 1/C would make steps vanish within the first pass.
//
// A batch is decoded under one w; then it takes the steps of its examples, one after the other.
// As these add up, the smallest eta0 that is tried is 2^-5 over the size of a batch.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct SgdOptions {
  std::int64_t epochs = 10;
  double C = 0.1;
  double eta0 = 0.0;
  std::int64_t batch = 1;
  bool average = false;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table
        .add("eta0", eta0,
             "first step size; 0: the best of 1/2 ... 1/32 on 1000 examples, with batches also smaller ones")
        .at_least(0);
    table.add("batch", batch, "examples that are decoded in parallel before they take their steps")
        .at_least(1);
    table.add("average", average, "keep the mean of the weights over all steps");
  }
};

std::unique_ptr<Learner> make_sgd(const Task& task, const SgdOptions& options, Workers& workers);

}  // namespace hinge
