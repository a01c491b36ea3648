#include "hinge/learn/online_dual.h"

#include "hinge/learn/dual/online.h"

namespace hinge {
namespace {

std::unique_ptr<Learner> make(const Task& task, const OnlineDualOptions& options, Loss loss,
                              Workers& workers) {
  return make_online_dual(task,
                          {.loss = loss,
                           .C = options.C,
                           .tolerance = options.tolerance,
                           .average = options.average,
                           .round = options.round},
                          /*inner_passes=*/0, workers);
}

}  // namespace

std::unique_ptr<Learner> make_ocp(const Task& task, const OcpOptions& options, Workers& workers) {
  return make(task, options, Loss::kL1, workers);
}

std::unique_ptr<Learner> make_dcd_light(const Task& task, const DcdLightOptions& options, Workers& workers) {
  return make(task, options, Loss::kL2, workers);
}

}  // namespace hinge
