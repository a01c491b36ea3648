#include "hinge/learn/online_dual.h"

#include "hinge/learn/dual/dual_learner.h"

namespace hinge {
namespace {

class OnlineDual final : public DualLearner {
 public:
  OnlineDual(const Task& task, const OnlineDualOptions& options, Loss loss, Workers& workers)
      : DualLearner(
            task, workers,
            {.loss = loss, .C = options.C, .tolerance = options.tolerance, .average = options.average}) {}

  void run_pass(Pass& pass) override {
    begin_pass();
    meet_all(pass);
  }
};

}  // namespace

std::unique_ptr<Learner> make_ocp(const Task& task, const OcpOptions& options, Workers& workers) {
  return std::make_unique<OnlineDual>(task, options, Loss::kL1, workers);
}

std::unique_ptr<Learner> make_dcd_light(const Task& task, const DcdLightOptions& options, Workers& workers) {
  return std::make_unique<OnlineDual>(task, options, Loss::kL2, workers);
}

}  // namespace hinge
