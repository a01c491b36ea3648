// Cutting planes with dual coordinate descent, L2-loss: decode everything, solve
// the dual over the working sets, repeat.
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]^2
//
// Chang, Srikumar, Goldwasser, Roth (ICML 2010), as "CPD" in Chang & Yih (TACL
// 2013), section 4.3. Decoding is parallel. Stops when no example has a rival
// violated by more than the tolerance.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct CpdOptions {
  std::int64_t epochs = 20;
  double C = 0.05;
  double tolerance = 0.01;
  std::int64_t inner_passes = 50;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "maximum rounds of decoding all examples").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("tolerance", tolerance, "minimum violation for adding a rival, and precision of the dual")
        .above(0);
    table.add("inner_passes", inner_passes, "maximum sweeps over the working sets per round").at_least(1);
  }
};

std::unique_ptr<Learner> make_cpd(const Task& task, const CpdOptions& options, Workers& workers);

}  // namespace hinge
