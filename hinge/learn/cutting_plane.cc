#include "hinge/learn/cutting_plane.h"

#include "hinge/learn/dual/dual_learner.h"

namespace hinge {
namespace {

class CuttingPlane final : public DualLearner {
 public:
  CuttingPlane(const Task& task, const CuttingPlaneOptions& options, Workers& workers)
      : DualLearner(task, workers,
                    {.loss = options.loss == "l2" ? Loss::kL2 : Loss::kL1,
                     .C = options.C,
                     .tolerance = options.epsilon,
                     .drop_idle = false}),
        options_(options) {}

  void run_pass(Pass& pass) override {
    begin_pass();
    const bool decoded = all().run_pass(
        weights(), pass,
        [&](std::size_t i, const Cut& cut) {
          return cut.violation() > steps().slack(sets()[i]) + options_.epsilon;
        },
        [&](std::size_t i, Cut& cut) { pass.updates += steps().join(sets()[i], cut); });
    if (!decoded) return;
    pass.updating.start();
    // Finer than epsilon, so that the slack of old constraints is known well enough
    // to recognize new ones.
    const double tolerance = 0.2 * options_.epsilon;
    const bool solved = solve_working_sets(pass, tolerance, options_.inner_passes);
    pass.converged = pass.updates == 0 && solved;
    pass.updating.stop();
  }

 private:
  CuttingPlaneOptions options_;
};

}  // namespace

std::unique_ptr<Learner> make_cutting_plane(const Task& task, const CuttingPlaneOptions& options,
                                            Workers& workers) {
  return std::make_unique<CuttingPlane>(task, options, workers);
}

}  // namespace hinge
