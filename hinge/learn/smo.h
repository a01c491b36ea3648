// Structured SMO: sequential minimal optimization of the factored dual of the max-margin
// Markov network.
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]   [or its square]
//
// Taskar, Guestrin and Koller (NIPS 2003) for chains, Taskar et al. (EMNLP 2004),
// sections 4 and 5, for context-free trees; Yu and Lam (Coling 2010) use it on chunking.
// The dual is that of learn/dual/factored_dual.h. The papers omit the details of the
// procedure; here, a visit to an example finds the output y' that violates the margin
// most and y'', the least violated one among those whose parts all have mass, and moves
// mass from y'' to y' by the closed-form step, as far as the least marginal allows. Where
// they differ in several places, each gets a step of its own. An example is optimal if y''
// is as violated as y'. One that has been nearly so is left out for a while (shrinking); all
// are visited before training ends. Before each pass, as in dcd, come `inner_passes` sweeps
// that look for y' only among outputs whose parts have mass, which needs no inference.
#pragma once

#include <memory>
#include <string>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct SmoOptions {
  std::int64_t epochs = 30;
  double C = 0.1;
  std::string loss = "l1";
  double epsilon = 0.001;
  std::int64_t inner_passes = 5;
  bool shrink = true;
  bool average = false;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "maximum passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("loss", loss, "l1: the hinge; l2: its square").one_of({"l1", "l2"});
    table.add("epsilon", epsilon, "stop if no mass gains more by moving, per unit").above(0);
    table.add("inner_passes", inner_passes, "maximum sweeps over the parts with mass before each pass")
        .at_least(0);
    table.add("shrink", shrink, "leave out examples that are nearly optimal for some passes");
    table.add("average", average, "keep the mean of the weights over all visits");
  }
};

// The task must have the extension FactoredTask.
std::unique_ptr<Learner> make_smo(const Task& task, const SmoOptions& options, Workers& workers);

}  // namespace hinge
