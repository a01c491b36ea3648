// Stochastic gradient descent with stochastic meta-descent on the hinge: every
// weight has its own step size, which grows while successive gradients agree and
// shrinks otherwise.
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]
//
// Yu & Lam (COLING 2010), Figure 1 and Eqs. 17, 18, after Schraudolph (1999), with
// element-wise products. The hinge is piecewise linear, so Hv comes from the
// regularizer alone. Two changes are ours. The regularizer of weight j is split
// equally among the d_j examples that can read it: the objective is the same, but a
// step touches only the weights of its example. And step sizes follow the schedule
// of `sgd`, since meta-descent alone stalls at the noise level. The model is the mean of
// the weights, each counted by its step: the plain mean remembers the start for long.
//
// Where weights are coefficients of a kernel expansion, psi is the change of the function
// (hinge/tasks/tag/support_task.h), and a step is one of Vishwanathan, Schraudolph & Smola
// (JMLR 2006) with a step size per coefficient, which leaves out the products of vectors.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"

namespace hinge {

struct SmdOptions {
  std::int64_t epochs = 10;
  double C = 0.1;
  double eta0 = 0.03;
  double mu = 0.02;
  double memory = 0.9;
  bool average = true;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("eta0", eta0, "first step size").above(0);
    table.add("mu", mu, "how fast step sizes adapt; 0: not at all").at_least(0);
    table.add("memory", memory, "how long past gradients count (lambda in the paper)").at_least(0).at_most(1);
    table.add("average", average, "keep the mean of the weights over all steps, each counting by its number");
  }
};

std::unique_ptr<Learner> make_smd(const Task& task, const SmdOptions& options);

}  // namespace hinge
