#include "hinge/learn/steps/mixing.h"

#include <utility>
#include <vector>

#include "hinge/core/interrupt.h"
#include "hinge/learn/steps/sharded_pass.h"

namespace hinge {
namespace {

// One for every changed line, at the number of the line.
LineVector changed_lines(const LineVector& change) {
  LineVector ones;
  float* values = nullptr;
  for (const std::uint32_t line : change.lines()) {
    const auto of_line = static_cast<std::uint32_t>(line / kLine);
    if (ones.empty() || ones.lines().back() != of_line) values = ones.push(of_line);
    values[line % kLine] = 1.0f;
  }
  return ones;
}

class Mixed final : public Learner {
 public:
  Mixed(const Task& task, const MakeMixable& make, std::int64_t rounds, Workers& workers)
      : workers_(workers),
        rounds_(static_cast<std::size_t>(rounds)),
        shards_(shards_of(task)),
        objective_(make()->objective()),
        mean_(task.dimension()),
        sum_(shards_),
        changers_(shards_),
        learners_(workers, [this, make] {
          auto learner = make();
          learner->weights().start_from(mean_);
          learner->weights().track_changes();
          return learner;
        }) {}

  void run_pass(Pass& pass) override {
    ShardedPass parts(pass, shards_);
    std::vector<LineVector> changes(shards_.mine());
    for (std::size_t round = 0; round < rounds_; ++round) {
      pass.decoding.start();  // includes the shards' updates
      parts.each(workers_, [&](std::size_t s, Pass& part) {
        part.order = piece(parts.orders()[s], round);
        changes[s] = run(part);
      });
      pass.decoding.stop();
      pass.updating.start();
      mix(changes);
      pass.updating.stop();
    }
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

  std::span<const std::uint32_t> piece(std::span<const std::uint32_t> order, std::size_t round) const {
    const std::size_t begin = share_begin(order.size(), round, rounds_);
    return order.subspan(begin, share_begin(order.size(), round + 1, rounds_) - begin);
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

  void mix(std::vector<LineVector>& changes) {
    for (LineVector& change : changes) {
      changers_.add(changed_lines(change));
      sum_.add(std::move(change));
    }
    LineVector sum = sum_.finish();
    const LineVector changers = changers_.finish();
    std::size_t at = 0;
    for (std::size_t k = 0; k < sum.lines().size(); ++k) {
      const std::uint32_t line = sum.lines()[k];
      while (changers.lines()[at] < line / kLine) ++at;
      sum.scale(k, 1.0f / changers.values(at)[line % kLine]);
    }
    axpy(1.0, sum, mean_);
    learners_.each([&](auto& learner) { learner->weights().copy_lines(mean_, sum); });
  }

  Workers& workers_;
  std::size_t rounds_;
  Shards shards_;
  ObjectiveKind objective_;
  Weights mean_;
  ShardSum sum_;
  ShardSum changers_;  // how many shards changed a line
  // Their weights are copies of the mean, which shards leave as they found them: so a pass
  // costs what the steps reach, not what all weights are.
  PerThread<std::unique_ptr<MixableLearner>> learners_;
};

}  // namespace

std::unique_ptr<Learner> make_mixed(const Task& task, MakeMixable make, std::int64_t rounds,
                                    Workers& workers) {
  if (shards_of(task).count() == 1) return make();
  return std::make_unique<Mixed>(task, make, rounds, workers);
}

}  // namespace hinge
