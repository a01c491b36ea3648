#include "hinge/learn/ocp.h"

#include "hinge/learn/dual_learner.h"

namespace hinge {
namespace {

class Ocp final : public DualLearner {
 public:
  Ocp(const Task& task, const OcpOptions& options, Workers& workers)
      : DualLearner(
            task, workers,
            {.loss = Loss::kL1, .C = options.C, .tolerance = options.tolerance, .average = options.average}) {
  }

  void run_pass(Pass& pass) override {
    begin_pass();
    meet_all(pass);
  }
};

}  // namespace

std::unique_ptr<Learner> make_ocp(const Task& task, const OcpOptions& options, Workers& workers) {
  return std::make_unique<Ocp>(task, options, workers);
}

}  // namespace hinge
