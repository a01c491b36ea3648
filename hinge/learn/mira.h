// MIRA: the smallest change of w that makes gold beat the rivals of one example by
// their loss, with slack bounded by C.
//
//   min_w'  1/2 |w' - w|^2 + C xi   s.t.  w' . psi_y >= Delta_y - xi
//
// over the k most violated rivals y. For k = 1 it has the closed form
// tau = min(C, max(0, Delta - w . psi) / |psi|^2): Crammer et al. (JMLR 2006),
// PA-I; Eidelman (WMT 2012), Algorithm 1. For k > 1 the dual is a small QP
// (learn/dual/simplex_qp.h): McDonald, Crammer, Pereira (ACL 2005), Figure 4.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct MiraOptions {
  std::int64_t epochs = 10;
  double C = 0.05;
  std::int64_t k = 1;
  bool average = true;
  std::int64_t mixes = 8;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "largest total step per example").above(0);
    table.add("k", k, "rivals per example; above 1 needs a task with k-best outputs")
        .at_least(1)
        .at_most(1000);
    table.add("average", average, "keep the mean of the weights over all steps");
    table.add("mixes", mixes, "with shards: how often per pass they take the mean of their weights")
        .at_least(1);
  }
};

std::unique_ptr<Learner> make_mira(const Task& task, const MiraOptions& options, Workers& workers);

}  // namespace hinge
