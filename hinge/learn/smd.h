// Stochastic gradient descent with stochastic meta-descent on the hinge: every
// weight has a step size of its own, which grows while successive gradients
// agree and shrinks where they do not.
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]
//
// Yu & Lam (COLING 2010), Figure 1 and Eqs. 17, 18, after Schraudolph (1999),
// whose products are element by element. The hinge is piecewise linear, so Hv
// is the regularizer's part alone. Two things are ours. The regularizer of
// weight j is shared equally among the d_j examples that can read it, which
// adds up to the same objective and leaves a step to the weights of its
// example. And the step sizes carry the schedule of `sgd`, as meta-descent by
// itself stops at the level of the noise.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"

namespace hinge {

struct SmdOptions {
  std::int64_t epochs = 10;
  double C = 0.1;
  double eta0 = 0.1;
  double mu = 0.02;
  double memory = 0.9;
  bool average = true;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("eta0", eta0, "first step size").above(0);
    table.add("mu", mu, "how fast step sizes adapt; 0: not at all").at_least(0);
    table.add("memory", memory, "how long past gradients count (lambda of the paper)").at_least(0).at_most(1);
    table.add("average", average, "keep the mean of the weights over all steps");
  }
};

std::unique_ptr<Learner> make_smd(const Task& task, const SmdOptions& options);

}  // namespace hinge
