// Block-coordinate Frank-Wolfe for the structural SVM with L1-loss.
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]
//
// Lacoste-Julien, Jaggi, Schmidt, Pletscher (ICML 2013), Algorithm 4: each example
// keeps its share w_i of the weights; a visit moves that share towards the corner
// C psi of its most violated rival, by the closed-form step that maximizes the
// dual. No step size, and no constraints are stored.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/learn/dual/rounds.h"

namespace hinge {

struct BcfwOptions {
  std::int64_t epochs = 10;
  double C = 0.1;
  bool average = true;
  std::int64_t round = kRound;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("average", average, "keep the mean of the weights, step k weighted by k");
    describe_round(table, round);
  }
};

std::unique_ptr<Learner> make_bcfw(const Task& task, const BcfwOptions& options, Workers& workers);

}  // namespace hinge
