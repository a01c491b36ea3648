// Base of batch learners whose regularizer affects every weight at every step, but is applied
// lazily: a LazyStep follows every batch, with the sum of its gradients.
//
// With several shards the weights that a batch reads are brought up to date on all ranks,
// whoever reads them, because that may round them.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "hinge/learn/steps/batch_learner.h"
#include "hinge/learn/steps/lazy_step.h"

namespace hinge {

class LazyLearner : public BatchLearner {
 public:
  Weights model() const override { return step_->model(); }
  Weights take_model() override { return step_->take_model(); }
  void start_from(const Weights& w) override { step_->start_from(w); }
  void visit(State& state) override { step_->visit(state); }

 protected:
  using BatchLearner::BatchLearner;

  // Every step of a pass has the same share, even if the last batch is smaller.
  double regularizer_share(double C) const { return share_of_regularizer(C, steps_per_pass()); }
  void set_step(std::unique_ptr<LazyStep> step) { step_ = std::move(step); }
  // For ask() and use(): what to read, and where gradients go.
  const Weights& current() const { return step_->current(); }
  LazyStep& step() { return *step_; }

  void list_reads(std::size_t example, Scratch& scratch, std::vector<Block>& reads) override {
    task().support(example, scratch, reads);
  }
  void prepare(std::span<const Block> reads) override { step_->catch_up(reads); }
  void end_batch() override { step_->step(); }

 private:
  std::unique_ptr<LazyStep> step_;
};

}  // namespace hinge
