// Dual learners that decode one example, add its rival to the working set, improve
// only the variables of that example, and move on to the next.
//
// `ocp`, L1-loss (online cutting plane):
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]
//
// Kummerfeld, Berg-Kirkpatrick, Klein (EMNLP 2015), section 2.2: the variables
// of an example sum to at most C.
//
// `dcd-light`, L2-loss:
//
//   min_w  1/2 |w|^2 + C sum_i max_y [ Delta_i(y) - w . psi_i(y) ]^2
//
// Chang & Yih (TACL 2013), Algorithm 2: DCD-SSVM (learn/dcd.h) without the
// passes over the working sets.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"
#include "hinge/learn/dual/rounds.h"

namespace hinge {

struct OnlineDualOptions {
  std::int64_t epochs = 10;
  double C = 0.1;
  double tolerance = 0.01;
  bool average = false;
  std::int64_t round = kRound;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("tolerance", tolerance, "minimum gain for adding a rival to the working set").above(0);
    table.add("average", average, "keep the mean of the weights over all steps");
    describe_round(table, round);
  }
};

struct OcpOptions : OnlineDualOptions {};
struct DcdLightOptions : OnlineDualOptions {
  DcdLightOptions() { C = 0.05; }
};

std::unique_ptr<Learner> make_ocp(const Task& task, const OcpOptions& options, Workers& workers);
std::unique_ptr<Learner> make_dcd_light(const Task& task, const DcdLightOptions& options, Workers& workers);

}  // namespace hinge
