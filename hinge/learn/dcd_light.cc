#include "hinge/learn/dcd_light.h"

#include "hinge/learn/dual_learner.h"

namespace hinge {
namespace {

class DcdLight final : public DualLearner {
 public:
  DcdLight(const Task& task, const DcdLightOptions& options, Workers& workers)
      : DualLearner(
            task, workers,
            {.loss = Loss::kL2, .C = options.C, .tolerance = options.tolerance, .average = options.average}) {
  }

  void run_pass(Pass& pass) override {
    begin_pass();
    meet_all(pass);
  }
};

}  // namespace

std::unique_ptr<Learner> make_dcd_light(const Task& task, const DcdLightOptions& options, Workers& workers) {
  return std::make_unique<DcdLight>(task, options, workers);
}

}  // namespace hinge
