// One decode of every example under fixed weights, in parallel, with the
// answers handed on in the order of the examples. Waves bound the memory.
#pragma once

#include <algorithm>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/threads.h"

namespace hinge {

class AllDecoder {
 public:
  AllDecoder(const Task& task, Workers& workers)
      : task_(task), workers_(workers), scratches_(task, workers) {}

  // use(i, cut) for every example, cut being the caller's to change. Ends early,
  // and says false, where stop() does before a wave.
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

  // The same as the decoding of a pass, counted and timed there. False: cancelled.
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
