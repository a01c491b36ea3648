// The log-loss of all examples under fixed weights, and its gradient split over one
// or more lanes: example i goes to lane i % lanes, in order, so each lane is
// bit-identical for any number of threads. With a lane per thread, a thread adds an
// example's gradient while it is in its cache. With fewer lanes, a wave computes
// all its gradients first and then adds them, each thread to its own part of the
// weights, which costs time but no memory.
//
// With several shards, each rank does this for each of its shards; the lanes of a
// shard are added, and then the shards (core/shards.h).
#pragma once

#include <algorithm>
#include <bit>
#include <span>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/marginal_task.h"
#include "hinge/core/shards.h"
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
      : task_(task), workers_(workers), shards_(shards_of(task)), scratches_(task, workers), sum_(shards_) {}

  const Shards& shards() const { return shards_; }
  // With several shards, keeps only these weights of a gradient, in rising order: in the sum, the k-th of
  // them is weight k, and lanes stay zero.
  void keep_only(std::span<const FeatureId> active);
  LineVector take_sum() { return std::move(total_); }

  // Makes sum_i E[Phi] - Phi(gold) the sum of `lanes`, which hold zeros: none, or a
  // power of two of them. After keep_only() it is take_sum() instead. Returns false early if stop(examples of
  // this rank done) is true before a wave on any rank; lanes then hold anything.
  template <typename Stop>
  bool run(const Weights& w, double loss_weight, const Stop& stop, std::span<Weights> lanes, Sums& sums) {
    bool done = true;
    std::vector<Sums> of_shards(shards_.mine());
    sum_.clear();
    const bool adds = !lanes.empty() && shards_.count() > 1;
    touched_.assign(adds ? lanes.size() : 0, TouchedLines(task_.dimension()));
    agree_on(this_communicator(), [&] {
      for (std::size_t s = shards_.first(); s < shards_.last() && done; ++s) {
        done = run_shard(s, w, loss_weight, stop, lanes, of_shards[s - shards_.first()]);
        if (done && adds) sum_.add(take_gradient(lanes));
      }
    });
    if (any_rank(this_communicator(), !done)) return false;
    if (adds) total_ = sum_.finish();
    if (adds && active_.empty()) axpy(1.0, total_, lanes[0]);
    for (const Sums& of_shard : gather_values(this_communicator(), std::span<const Sums>(of_shards))) {
      sums.log_loss += of_shard.log_loss;
      sums.expected_loss += of_shard.expected_loss;
    }
    return true;
  }

 private:
  template <typename Stop>
  bool run_shard(std::size_t shard, const Weights& w, double loss_weight, const Stop& stop,
                 std::span<Weights> lanes, Sums& sums) {
    // Threads wait for each other after a wave, so waves are long, but shorter if
    // all their gradients must be kept.
    const bool lane_a_thread =
        static_cast<std::size_t>(workers_.threads()) <= std::max<std::size_t>(1, lanes.size());
    const std::size_t end = shards_.end(shard);
    const std::size_t wave = std::min<std::size_t>(lane_a_thread ? 4096 : 512, shards_.size(shard));
    losses_.resize(std::max(losses_.size(), wave));
    for (std::size_t begin = shards_.begin(shard); begin < end; begin += wave) {
      if (stop(begin - shards_.first_example())) return false;
      const std::size_t count = std::min(wave, end - begin);
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

  template <typename Expect>
  void add_as_expected(const Expect& expect, std::size_t count, std::span<Weights> lanes) {
    const std::size_t step = std::max<std::size_t>(1, lanes.size());
    expectations_.resize(std::max(step, expectations_.size()));
    workers_.each_lane(step, [&](std::size_t lane) {
      for (std::size_t k = lane; k < count; k += step) {
        expect(k, expectations_[lane]);
        if (!lanes.empty()) expectations_[lane].gradient.add_to(1.0, lanes[lane]);
        if (!touched_.empty()) touched_[lane].mark(expectations_[lane].gradient);
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
      for (std::size_t k = lane; k < count; k += lanes.size()) {
        expectations_[k].gradient.add_slice(1.0, n / lanes.size(), parts, lanes[lane]);
        if (n < lanes.size() && !touched_.empty()) touched_[lane].mark(expectations_[k].gradient);
      }
    });
  }

  // The sum of the lanes, which become zero.
  LineVector take_gradient(std::span<Weights> lanes);

  const Task& task_;
  const MarginalTask& marginals_ = *find_extension<MarginalTask>(task_);
  Workers& workers_;
  Shards shards_;
  ScratchPool scratches_;
  ShardSum sum_;  // of gradients
  LineVector total_;
  std::vector<TouchedLines> touched_;        // [lanes], with several shards
  std::span<const FeatureId> active_;        // empty: all
  std::vector<std::uint32_t> active_begin_;  // [lines + 1], into active_
  std::vector<Expectation> expectations_;
  std::vector<Sums> losses_;  // per example of a wave
};

}  // namespace hinge
