#include "hinge/learn/steps/mixing.h"

#include <atomic>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

#include "hinge/core/interrupt.h"

namespace hinge {
namespace {

// Progress of all shards, for a watcher that is called by one thread at a time.
// Once it interrupts, all stop.
struct Progress {
  Watcher& watcher;
  std::mutex mutex = {};
  std::int64_t done = 0;
  std::atomic<bool> stop = false;

  bool add(std::int64_t examples) {
    if (stop) return true;
    const std::lock_guard lock(mutex);
    done += examples;
    if (watcher.interrupts(done)) stop = true;
    return stop;
  }
};

class ShardWatcher final : public Watcher {
 public:
  explicit ShardWatcher(Progress& progress) : progress_(progress) {}

  bool interrupts(std::int64_t examples_done) override {
    return progress_.add(examples_done - std::exchange(told_, examples_done));
  }

 private:
  Progress& progress_;
  std::int64_t told_ = 0;
};

class Mixed final : public Learner {
 public:
  Mixed(const Task& task, std::size_t shards, std::function<std::unique_ptr<Learner>()> make,
        Workers& workers)
      : make_(std::move(make)),
        workers_(workers),
        objective_(make_()->objective()),
        mean_(task.dimension()),
        orders_(shards) {}

  void run_pass(Pass& pass) override {
    // Examples stay in their shard, in the order of the pass.
    for (auto& order : orders_) order.clear();
    for (const std::uint32_t i : pass.order) orders_[i % orders_.size()].push_back(i);
    Progress progress{pass.watcher};
    std::deque<Shard> shards;
    for (std::size_t s = 0; s < orders_.size(); ++s)
      shards.emplace_back(orders_[s], pass.random.bits(), progress);
    pass.decoding.start();  // includes the shards' updates
    workers_.each(shards.size(), [&](std::size_t s) { run(shards[s]); });
    pass.decoding.stop();
    pass.updating.start();
    mix(shards);
    pass.updating.stop();
    for (const Shard& shard : shards) {
      pass.examples += shard.pass.examples;
      pass.updates += shard.pass.updates;
      pass.loss += shard.pass.loss;
      pass.violation += shard.pass.violation;
    }
  }

  Weights model() const override { return mean_; }
  Weights take_model() override { return std::move(mean_); }
  ObjectiveKind objective() const override { return objective_; }
  void start_from(const Weights& w) override { mean_ = w; }
  void visit(State& state) override { state.fixed(mean_); }

 private:
  struct Shard {
    Shard(std::span<const std::uint32_t> order, std::uint64_t seed, Progress& progress)
        : random(seed), watcher(progress), pass{.order = order, .random = random, .watcher = watcher} {}
    Shard(Shard&&) = delete;

    Random random;
    ShardWatcher watcher;
    Pass pass;
    Weights result;
  };

  void run(Shard& shard) const {
    const std::unique_ptr<Learner> learner = make_();
    learner->start_from(mean_);
    try {
      learner->run_pass(shard.pass);
    } catch (const Interrupted&) {  // keep what was learned so far
    }
    shard.result = learner->take_model();
  }

  // Ignores shards without examples.
  void mix(const std::deque<Shard>& shards) {
    std::vector<const Weights*> results;
    for (const Shard& shard : shards) {
      if (!shard.pass.order.empty()) results.push_back(&shard.result);
    }
    const double part = 1.0 / static_cast<double>(results.size());
    for (std::size_t id = 0; id < mean_.size(); ++id) {
      double sum = 0.0;
      for (const Weights* result : results) sum += (*result)[id];
      const auto mean = static_cast<float>(sum * part);
      if (mean != mean_[id]) mean_[id] = mean;  // keep untouched pages untouched
    }
  }

  std::function<std::unique_ptr<Learner>()> make_;
  Workers& workers_;
  ObjectiveKind objective_;
  Weights mean_;
  std::vector<std::vector<std::uint32_t>> orders_;  // [shards]
};

}  // namespace

std::unique_ptr<Learner> make_mixed(const Task& task, std::size_t shards,
                                    std::function<std::unique_ptr<Learner>()> make, Workers& workers) {
  return std::make_unique<Mixed>(task, shards, std::move(make), workers);
}

}  // namespace hinge
