#include "hinge/learn/cpd.h"

#include "hinge/learn/dual/dual_learner.h"

namespace hinge {
namespace {

class Cpd final : public DualLearner {
 public:
  Cpd(const Task& task, const CpdOptions& options, Workers& workers)
      : DualLearner(task, workers, {.loss = Loss::kL2, .C = options.C, .tolerance = options.tolerance}),
        options_(options) {}

  void run_pass(Pass& pass) override {
    begin_pass();
    const bool decoded = all().run_pass(
        weights(), pass,
        [&](std::size_t i, const Cut& cut) {
          return steps().gain(sets()[i], cut.violation()) >= options_.tolerance;
        },
        [&](std::size_t i, Cut& cut) { pass.updates += steps().join(sets()[i], cut); });
    if (!decoded) return;
    pass.updating.start();
    const bool solved = solve_working_sets(pass, options_.tolerance, options_.inner_passes);
    pass.converged = pass.updates == 0 && solved;
    pass.updating.stop();
  }

 private:
  CpdOptions options_;
};

}  // namespace

std::unique_ptr<Learner> make_cpd(const Task& task, const CpdOptions& options, Workers& workers) {
  return std::make_unique<Cpd>(task, options, workers);
}

}  // namespace hinge
