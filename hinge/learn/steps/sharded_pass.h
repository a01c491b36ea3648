// A pass in which every shard of the examples learns by itself (core/shards.h).
// The shards of a rank run on its threads, each with its own random numbers, so results
// depend on the number of shards, but not on that of threads or ranks.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/shards.h"
#include "hinge/core/threads.h"

namespace hinge {

class ShardedPass {
 public:
  ShardedPass(Pass& whole, const Shards& shards);

  // Calls body(s, pass of the shard) for this rank's shards, s from 0, in parallel. Once
  // the watcher interrupts one, all end. A failure ends it on all ranks.
  template <typename Body>
  void each(Workers& workers, const Body& body) {
    agree_on(this_communicator(),
             [&] { workers.each(parts_.size(), [&](std::size_t s) { body(s, parts_[s].pass); }); });
  }
  // The examples of this rank's shards, in the order of the whole pass.
  const std::vector<std::vector<std::uint32_t>>& orders() const { return orders_; }
  Pass& whole() { return whole_; }
  // Whether the watcher interrupted this rank.
  bool stopped() const { return progress_.stop; }
  // Adds what the shards of all ranks counted to the whole pass. A meeting.
  void add_up() const;

 private:
  // Progress of all shards, for a watcher that is called by one thread at a time.
  struct Progress {
    Watcher& watcher;
    std::int64_t done;
    std::mutex mutex = {};
    std::atomic<bool> stop = false;

    bool add(std::int64_t examples);
  };

  class PartWatcher final : public Watcher {
   public:
    explicit PartWatcher(Progress& progress) : progress_(progress) {}
    bool interrupts(std::int64_t examples_done) override;

   private:
    Progress& progress_;
    std::int64_t told_ = 0;
  };

  struct Part {
    Part(std::span<const std::uint32_t> order, std::uint64_t seed, Progress& progress)
        : random(seed), watcher(progress), pass{.order = order, .random = random, .watcher = watcher} {}
    Part(Part&&) = delete;

    Random random;
    PartWatcher watcher;
    Pass pass;
  };

  Pass& whole_;
  Progress progress_;
  std::vector<std::vector<std::uint32_t>> orders_;  // [this rank's shards]
  std::deque<Part> parts_;                          // [this rank's shards]
};

}  // namespace hinge
