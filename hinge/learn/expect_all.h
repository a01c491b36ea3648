// The log-loss of all examples under fixed weights, and its gradient: examples
// in parallel, then their gradients added in the order of the examples, each
// thread to weights of its own. So the sums are the same, to the bit, for any
// number of threads, and there is one gradient in memory, not one a thread.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/threads.h"

namespace hinge {

// Throws, naming the example, where a task breaks its promises.
void check_expectation(const Expectation& expectation, std::size_t example);

class AllExpecter {
 public:
  struct Sums {
    double log_loss = 0.0;
    double expected_loss = 0.0;
  };

  AllExpecter(const Task& task, Workers& workers) : task_(task), workers_(workers), scratches_(task) {}

  // Adds sum_i E[Phi] - Phi(gold) to `gradient`, unless null. Ends early, and
  // says false, where stop(examples done) does before a wave.
  template <typename Stop>
  bool run(const Weights& w, double loss_weight, const Stop& stop, Weights* gradient, Sums& sums) {
    constexpr std::size_t kWave = 512;  // waking threads is not free, nor is memory
    const auto threads = static_cast<std::size_t>(workers_.threads());
    const std::size_t parts = std::bit_ceil(threads);
    expectations_.resize(std::min(threads == 1 ? 1 : kWave, task_.size()));
    for (std::size_t begin = 0; begin < task_.size(); begin += expectations_.size()) {
      if (stop(begin)) return false;
      const std::size_t count = std::min(expectations_.size(), task_.size() - begin);
      workers_.each(count, [&](std::size_t k) {
        task_.marginals()->expect(begin + k, w, loss_weight, scratches_.local(), expectations_[k]);
      });
      for (std::size_t k = 0; k < count; ++k) {
        check_expectation(expectations_[k], begin + k);
        sums.log_loss += expectations_[k].log_loss;
        sums.expected_loss += expectations_[k].expected_loss;
      }
      if (gradient == nullptr) continue;
      workers_.each_part(parts, [&](std::size_t part) {
        for (std::size_t k = 0; k < count; ++k)
          expectations_[k].gradient.add_part(1.0, part, parts, *gradient);
      });
    }
    return true;
  }

 private:
  const Task& task_;
  Workers& workers_;
  ScratchPool scratches_;
  std::vector<Expectation> expectations_;
};

}  // namespace hinge
