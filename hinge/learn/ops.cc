#include "hinge/learn/ops.h"

#include <algorithm>

#include "hinge/learn/steps/adagrad.h"

namespace hinge {
namespace {

class Ops final : public Learner {
 public:
  Ops(const Task& task, const OpsOptions& options, Workers& workers)
      : task_(task),
        options_(options),
        workers_(workers),
        scratches_(task, workers),
        cuts_(std::min<std::size_t>(options.batch, std::max<std::size_t>(task.size(), 1))) {
    // Every update of a pass carries the same share of the regularizer, the
    // last and perhaps smaller batch too.
    const std::size_t updates = std::max<std::size_t>(1, (task.size() + cuts_.size() - 1) / cuts_.size());
    step_ = make_adagrad(task.dimension(), {.eta = options.eta,
                                            .lambda = share_of_regularizer(options.C, updates),
                                            .l1 = options.regularizer == "l1",
                                            .lazy = options.lazy,
                                            .average = options.average});
  }

  void run_pass(Pass& pass) override {
    for (std::size_t begin = 0; begin < pass.order.size() && !pass.cancelled(); begin += cuts_.size()) {
      const std::size_t count = std::min(cuts_.size(), pass.order.size() - begin);
      const auto batch = pass.order.subspan(begin, count);
      pass.updating.start();
      blocks_.clear();
      for (const std::uint32_t i : batch) task_.support(i, blocks_);
      step_->catch_up(blocks_);
      pass.updating.stop();
      pass.decoding.start();
      workers_.each(count, [&](std::size_t b) {
        task_.most_violated(batch[b], step_->current(), /*loss_weight=*/1.0, scratches_.local(), cuts_[b]);
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

  ObjectiveKind objective() const override {
    const bool l1 = options_.regularizer == "l1";
    return {.loss = Loss::kL1, .C = options_.C, .l2 = l1 ? 0.0 : 1.0, .l1 = l1 ? 1.0 : 0.0};
  }

 private:
  void sum_gradients(std::span<const std::uint32_t> batch, Pass& pass) {
    gradient_.clear();
    for (std::size_t b = 0; b < batch.size(); ++b) {
      const Cut& cut = cuts_[b];
      check_cut(cut, batch[b]);
      ++pass.examples;
      pass.updates += !cut.psi.empty();
      pass.loss += cut.loss;
      pass.violation += std::max(0.0, cut.violation());
      gradient_.append(cut.psi, -1.0f);
    }
    gradient_.merge();
  }

  const Task& task_;
  OpsOptions options_;
  Workers& workers_;
  ScratchPool scratches_;
  std::unique_ptr<LazyStep> step_;
  std::vector<Cut> cuts_;  // [batch]
  SparseVector gradient_;
  std::vector<Block> blocks_;
};

}  // namespace

std::unique_ptr<Learner> make_ops(const Task& task, const OpsOptions& options, Workers& workers) {
  return std::make_unique<Ops>(task, options, workers);
}

}  // namespace hinge
