// DCD-SSVM: dual coordinate descent for the structural SVM with L2-loss.
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]^2
//
// Chang & Yih (TACL 2013), Algorithms 1 and 3. Each example has a working set of
// rivals, each with a dual variable; a step solves for one variable in closed form
// (line 3 of Algorithm 1, Eq. 8) and updates w. Before each decoding pass come
// `inner_passes` sweeps over the working sets alone, which need no inference.
//
// Symbols as in the paper: d the step, alpha >= 0, tolerance = their delta.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/learn/dual/rounds.h"

namespace hinge {

struct DcdOptions {
  std::int64_t epochs = 10;
  double C = 0.05;
  std::int64_t inner_passes = 5;
  double tolerance = 0.01;
  bool average = false;
  std::int64_t round = kRound;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes with decoding over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("inner_passes", inner_passes, "sweeps over the working sets before each pass (r)").at_least(0);
    table.add("tolerance", tolerance, "minimum violation for adding a rival to the working set").above(0);
    table.add("average", average, "keep the mean of the weights over all steps");
    describe_round(table, round);
  }
};

std::unique_ptr<Learner> make_dcd(const Task& task, const DcdOptions& options, Workers& workers);

}  // namespace hinge
