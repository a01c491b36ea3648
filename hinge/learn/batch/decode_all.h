// Decodes every example under fixed weights, in parallel, and passes on the results
// in the order of the examples. Waves bound the memory.
#pragma once

#include <algorithm>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/threads.h"

namespace hinge {

// How much the most violated output of an example violates its margin.
struct Violation {
  double loss;
  double margin;
  bool exact;
};

class AllDecoder {
 public:
  AllDecoder(const Task& task, Workers& workers)
      : task_(task), workers_(workers), scratches_(task, workers) {}

  // Calls use(i, cut) for every example; use may change the cut. Returns false
  // early if stop() is true before a wave.
  template <typename Stop, typename Use>
  bool run(const Weights& w, const Stop& stop, const Use& use) {
    constexpr std::size_t kWave = 256;
    cuts_.resize(std::min(kWave, task_.size()));
    for (std::size_t begin = 0; begin < task_.size(); begin += kWave) {
      if (stop()) return false;
      const std::size_t count = std::min(kWave, task_.size() - begin);
      workers_.each(count, [&](std::size_t k) {
        task_.most_violated(begin + k, w, /*loss_weight=*/1.0, scratches_.local(), cuts_[k]);
      });
      for (std::size_t k = 0; k < count; ++k) {
        check_cut(cuts_[k], begin + k);
        use(begin + k, cuts_[k]);
      }
    }
    return true;
  }

  // The same without psi, which then takes no memory: use(i, violation).
  template <typename Stop, typename Use>
  bool measure(const Weights& w, const Stop& stop, const Use& use) {
    constexpr std::size_t kWave = 256;
    std::vector<Violation> violations(std::min(kWave, task_.size()));
    PerThread<Cut> cuts(workers_, [] { return Cut(); });
    for (std::size_t begin = 0; begin < task_.size(); begin += kWave) {
      if (stop()) return false;
      const std::size_t count = std::min(kWave, task_.size() - begin);
      workers_.each(count, [&](std::size_t k) {
        Cut& cut = cuts.local();
        task_.most_violated(begin + k, w, /*loss_weight=*/1.0, scratches_.local(), cut);
        violations[k] = {cut.loss, cut.margin, cut.exact};
      });
      for (std::size_t k = 0; k < count; ++k) {
        check_violation(violations[k].loss, violations[k].margin, begin + k);
        use(begin + k, violations[k]);
      }
    }
    return true;
  }

  // run() as the decoding of a pass, counted and timed there. False if cancelled.
  template <typename Use>
  bool run_pass(const Weights& w, Pass& pass, const Use& use) {
    pass.decoding.start();
    const bool done = run(
        w, [&pass] { return pass.cancelled(); },
        [&](std::size_t i, Cut& cut) {
          ++pass.examples;
          pass.loss += cut.loss;
          pass.violation += std::max(0.0, cut.violation());
          use(i, cut);
        });
    pass.decoding.stop();
    return done;
  }

 private:
  const Task& task_;
  Workers& workers_;
  ScratchPool scratches_;
  std::vector<Cut> cuts_;
};

}  // namespace hinge
