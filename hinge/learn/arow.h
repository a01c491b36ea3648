// Adaptive regularization of weights (AROW): w is the mean of a Gaussian whose
// variances say how sure each weight is; sure weights move little.
//
//   min_{w, S}  KL( N(w, S) || N(w', S') ) + 1 / (2 r) (H(w)^2 + psi . S psi),
//   H(w) = max(0, Delta - w . psi)
//
// Crammer, Kulesza, Dredze (NIPS 2009), Equation 1, with psi the feature difference
// between gold and the most violated rival: Mejer, Crammer (EMNLP 2010), section 3.
// S is diagonal, and the minimum over diagonal S has the closed form
//
//   w = w' + H(w') / (r + psi . S' psi) S' psi,   1 / S_j = 1 / S'_j + psi_j^2 / r
//
// All variances begin at 1: only their ratio to r matters.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"

namespace hinge {

struct ArowOptions {
  std::int64_t epochs = 10;
  double r = 10.0;
  bool average = false;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("noise", r, "r of the paper; larger: smaller steps, and weights stay unsure for longer").above(0);
    table.add("average", average, "keep the mean of the weights over all steps");
  }
};

std::unique_ptr<Learner> make_arow(const Task& task, const ArowOptions& options);

}  // namespace hinge
