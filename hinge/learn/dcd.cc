#include "hinge/learn/dcd.h"

#include <algorithm>

#include "hinge/learn/dual/dual_learner.h"

namespace hinge {
namespace {

class Dcd final : public DualLearner {
 public:
  Dcd(const Task& task, const DcdOptions& options, Workers& workers)
      : DualLearner(
            task, workers,
            {.loss = Loss::kL2, .C = options.C, .tolerance = options.tolerance, .average = options.average}),
        options_(options) {}

  void run_pass(Pass& pass) override {
    pass.updating.start();
    begin_pass();
    if (!std::ranges::all_of(sets(), [](const WorkingSet& set) { return set.members().empty(); })) {
      for (std::int64_t r = 0; r < options_.inner_passes && !pass.cancelled(); ++r) sweep_all(pass);
    }
    pass.updating.stop();
    meet_all(pass);
  }

 private:
  DcdOptions options_;
};

}  // namespace

std::unique_ptr<Learner> make_dcd(const Task& task, const DcdOptions& options, Workers& workers) {
  return std::make_unique<Dcd>(task, options, workers);
}

}  // namespace hinge
