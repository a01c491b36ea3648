// The log-loss of all examples under fixed weights, and its gradient split over one
// or more lanes: example i goes to lane i % lanes, in order, so each lane is
// bit-identical for any number of threads. With a lane per thread, a thread adds an
// example's gradient while it is in its cache. With fewer lanes, a wave computes
// all its gradients first and then adds them, each thread to its own part of the
// weights, which costs time but no memory.
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/threads.h"

namespace hinge {

// Throws, naming the example, if a task breaks its promises.
void check_expectation(double log_loss, double expected_loss, std::size_t example);

class AllExpecter {
 public:
  struct Sums {
    double log_loss = 0.0;
    double expected_loss = 0.0;
  };

  AllExpecter(const Task& task, Workers& workers)
      : task_(task), workers_(workers), scratches_(task, workers) {}

  // Adds sum_i E[Phi] - Phi(gold) to the sum of `lanes`: none, or a power of two of
  // them. Returns false early if stop(examples done) is true before a wave.
  template <typename Stop>
  bool run(const Weights& w, double loss_weight, const Stop& stop, std::span<Weights> lanes, Sums& sums) {
    // Threads wait for each other after a wave, so waves are long, but shorter if
    // all their gradients must be kept.
    const bool lane_a_thread =
        static_cast<std::size_t>(workers_.threads()) <= std::max<std::size_t>(1, lanes.size());
    const std::size_t wave = std::min<std::size_t>(lane_a_thread ? 4096 : 512, task_.size());
    losses_.resize(wave);
    for (std::size_t begin = 0; begin < task_.size(); begin += wave) {
      if (stop(begin)) return false;
      const std::size_t count = std::min(wave, task_.size() - begin);
      const auto expect = [&](std::size_t k, Expectation& expectation) {
        marginals_.expect(begin + k, w, loss_weight, scratches_.local(), expectation);
        losses_[k] = {expectation.log_loss, expectation.expected_loss};
      };
      if (lane_a_thread)
        add_as_expected(expect, count, lanes);
      else
        add_after(expect, count, lanes);
      for (std::size_t k = 0; k < count; ++k) {
        check_expectation(losses_[k].log_loss, losses_[k].expected_loss, begin + k);
        sums.log_loss += losses_[k].log_loss;
        sums.expected_loss += losses_[k].expected_loss;
      }
    }
    return true;
  }

 private:
  template <typename Expect>
  void add_as_expected(const Expect& expect, std::size_t count, std::span<Weights> lanes) {
    const std::size_t step = std::max<std::size_t>(1, lanes.size());
    expectations_.resize(std::max(step, expectations_.size()));
    workers_.each_lane(step, [&](std::size_t lane) {
      for (std::size_t k = lane; k < count; k += step) {
        expect(k, expectations_[lane]);
        if (!lanes.empty()) expectations_[lane].gradient.add_to(1.0, lanes[lane]);
      }
    });
  }

  template <typename Expect>
  void add_after(const Expect& expect, std::size_t count, std::span<Weights> lanes) {
    expectations_.resize(std::max(count, expectations_.size()));
    workers_.each(count, [&](std::size_t k) { expect(k, expectations_[k]); });
    const std::size_t parts = std::bit_ceil(static_cast<std::size_t>(workers_.threads()));
    workers_.each_lane(lanes.size() * parts, [&](std::size_t n) {
      const std::size_t lane = n % lanes.size();
      for (std::size_t k = lane; k < count; k += lanes.size())
        expectations_[k].gradient.add_slice(1.0, n / lanes.size(), parts, lanes[lane]);
    });
  }

  const Task& task_;
  const MarginalTask& marginals_ = *find_extension<MarginalTask>(task_);
  Workers& workers_;
  ScratchPool scratches_;
  std::vector<Expectation> expectations_;
  std::vector<Sums> losses_;  // per example of a wave
};

}  // namespace hinge
