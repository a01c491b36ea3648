#include "hinge/learn/dcd.h"

#include "hinge/learn/dual/online.h"

namespace hinge {

std::unique_ptr<Learner> make_dcd(const Task& task, const DcdOptions& options, Workers& workers) {
  return make_online_dual(task,
                          {.loss = Loss::kL2,
                           .C = options.C,
                           .tolerance = options.tolerance,
                           .average = options.average,
                           .round = options.round},
                          options.inner_passes, workers);
}

}  // namespace hinge
