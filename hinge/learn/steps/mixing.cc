#include "hinge/learn/steps/mixing.h"

#include <utility>
#include <vector>

#include "hinge/core/interrupt.h"
#include "hinge/learn/steps/sharded_pass.h"

namespace hinge {
namespace {

class Mixed final : public Learner {
 public:
  Mixed(const Task& task, const MakeMixable& make, Workers& workers)
      : workers_(workers),
        shards_(shards_of(task)),
        objective_(make()->objective()),
        mean_(task.dimension()),
        sum_(shards_),
        learners_(workers, [this, make] {
          auto learner = make();
          learner->weights().start_from(mean_);
          learner->weights().track_changes();
          return learner;
        }) {
    for (std::size_t s = 0; s < shards_.count(); ++s) used_ += shards_.size(s) > 0;
  }

  void run_pass(Pass& pass) override {
    ShardedPass parts(pass, shards_);
    std::vector<LineVector> changes(shards_.mine());
    pass.decoding.start();  // includes the shards' updates
    parts.each(workers_, [&](std::size_t s, Pass& part) { changes[s] = run(part); });
    pass.decoding.stop();
    pass.updating.start();
    mix(changes);
    pass.updating.stop();
    parts.add_up();
  }

  Weights model() const override { return mean_; }
  Weights take_model() override { return std::move(mean_); }
  ObjectiveKind objective() const override { return objective_; }
  void start_from(const Weights& w) override {
    mean_ = w;
    restart();
  }
  void visit(State& state) override {
    state.fixed(mean_);
    if (state.loading()) restart();
  }

 private:
  void restart() {
    learners_.each([this](auto& learner) { learner->weights().start_from(mean_); });
  }

  LineVector run(Pass& part) {
    if (part.order.empty()) return {};
    MixableLearner& learner = *learners_.local();
    try {
      learner.run_pass(part);
    } catch (const Interrupted&) {  // keep what was learned so far
    }
    return learner.weights().take_change(mean_, /*scale=*/1.0);
  }

  // Ignores shards without examples.
  void mix(std::vector<LineVector>& changes) {
    for (LineVector& change : changes) sum_.add(std::move(change));
    const LineVector sum = sum_.finish();
    axpy(1.0 / static_cast<double>(used_), sum, mean_);
    learners_.each([&](auto& learner) { learner->weights().copy_lines(mean_, sum); });
  }

  Workers& workers_;
  Shards shards_;
  ObjectiveKind objective_;
  Weights mean_;
  ShardSum sum_;
  // Their weights are copies of the mean, which shards leave as they found them: so a pass
  // costs what the steps reach, not what all weights are.
  PerThread<std::unique_ptr<MixableLearner>> learners_;
  std::size_t used_ = 0;  // shards with examples
};

}  // namespace

std::unique_ptr<Learner> make_mixed(const Task& task, MakeMixable make, Workers& workers) {
  if (shards_of(task).count() == 1) return make();
  return std::make_unique<Mixed>(task, make, workers);
}

}  // namespace hinge
