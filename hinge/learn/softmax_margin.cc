#include "hinge/learn/softmax_margin.h"

#include <algorithm>

#include "hinge/learn/batch/expect_all.h"
#include "hinge/learn/steps/adadelta.h"
#include "hinge/learn/steps/adagrad.h"

namespace hinge {
namespace {

class SoftmaxMargin final : public Learner {
 public:
  SoftmaxMargin(const Task& task, const SoftmaxMarginOptions& options, Workers& workers)
      : task_(task),
        options_(options),
        workers_(workers),
        scratches_(task, workers),
        sum_(task.dimension()),
        expectations_(std::min<std::size_t>(options.batch, std::max<std::size_t>(task.size(), 1))) {
    const std::size_t width = expectations_.size();
    const std::size_t updates = std::max<std::size_t>(1, (task.size() + width - 1) / width);
    const double lambda = share_of_regularizer(options.C, updates);
    if (options.rule == "adagrad") {
      step_ =
          make_adagrad(task.dimension(), {.eta = options.eta, .lambda = lambda, .average = options.average});
    } else {
      step_ =
          make_adadelta(task.dimension(), {.rho = options.rho, .lambda = lambda, .average = options.average});
    }
  }

  void run_pass(Pass& pass) override {
    const std::size_t width = expectations_.size();
    for (std::size_t begin = 0; begin < pass.order.size() && !pass.cancelled(); begin += width) {
      const auto batch = pass.order.subspan(begin, std::min(width, pass.order.size() - begin));
      pass.updating.start();
      blocks_.clear();
      for (const std::uint32_t i : batch) task_.support(i, blocks_);
      step_->catch_up(blocks_);
      pass.updating.stop();
      pass.decoding.start();
      workers_.each(batch.size(), [&](std::size_t b) {
        task_.marginals()->expect(batch[b], step_->current(), /*loss_weight=*/1.0, scratches_.local(),
                                  expectations_[b]);
      });
      pass.decoding.stop();
      pass.updating.start();
      sum_gradients(batch, pass);
      step_->update(gradient_);
      pass.updating.stop();
    }
  }

  Weights model() const override { return step_->model(); }
  Weights take_model() override { return step_->take_model(); }
  void start_from(const Weights& w) override { step_->start_from(w); }
  void visit(State& state) override { step_->visit(state); }
  ObjectiveKind objective() const override { return {.loss = Loss::kSoftmaxMargin, .C = options_.C}; }

 private:
  // Rows are summed where they lie, then collected from the support.
  void sum_gradients(std::span<const std::uint32_t> batch, Pass& pass) {
    bool moved = false;
    for (std::size_t b = 0; b < batch.size(); ++b) {
      const Expectation& expectation = expectations_[b];
      check_expectation(expectation.log_loss, expectation.expected_loss, batch[b]);
      ++pass.examples;
      pass.loss += expectation.expected_loss;
      pass.violation += expectation.log_loss;
      moved = moved || expectation.log_loss > 0.0;
      expectation.gradient.add_to(1.0, sum_);
    }
    gradient_.clear();
    for (const Block& block : blocks_) {
      for (FeatureId id = block.first; id < block.first + block.count; ++id) {
        if (sum_[id] == 0.0f) continue;
        gradient_.add(id, sum_[id]);
        sum_[id] = 0.0f;
      }
    }
    pass.updates += moved ? static_cast<std::int64_t>(batch.size()) : 0;
  }

  const Task& task_;
  SoftmaxMarginOptions options_;
  Workers& workers_;
  ScratchPool scratches_;
  std::unique_ptr<LazyStep> step_;
  Weights sum_;                            // zero between steps
  std::vector<Expectation> expectations_;  // [batch]
  SparseVector gradient_;
  std::vector<Block> blocks_;
};

}  // namespace

std::unique_ptr<Learner> make_softmax_margin(const Task& task, const SoftmaxMarginOptions& options,
                                             Workers& workers) {
  return std::make_unique<SoftmaxMargin>(task, options, workers);
}

}  // namespace hinge
