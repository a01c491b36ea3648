// Base of stochastic gradient learners, which differ in what they ask of the task
// and in the gradient of the answer: batches of examples are decoded in parallel
// under one w, their gradients are summed, and a LazyStep follows.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "hinge/core/learner.h"
#include "hinge/core/threads.h"
#include "hinge/learn/steps/lazy_step.h"

namespace hinge {

class LazyLearner : public Learner {
 public:
  void run_pass(Pass& pass) override;
  Weights model() const override { return step_->model(); }
  Weights take_model() override { return step_->take_model(); }
  void start_from(const Weights& w) override { step_->start_from(w); }
  void visit(State& state) override { step_->visit(state); }

 protected:
  // `batch` examples share a step.
  LazyLearner(const Task& task, std::int64_t batch, Workers& workers);

  const Task& task() const { return task_; }
  std::size_t batch() const { return batch_; }
  // Every step of a pass has the same share, even if the last batch is smaller.
  double regularizer_share(double C) const;
  void set_step(std::unique_ptr<LazyStep> step) { step_ = std::move(step); }

  // Asks the task about an example, the b-th of the batch. Called on several
  // threads.
  virtual void ask(std::size_t b, std::size_t example, const Weights& w, Scratch& scratch) = 0;
  // Counts the answer in the pass and adds its gradient to the step.
  virtual void use(std::size_t b, std::size_t example, Pass& pass, LazyStep& step) = 0;

 private:
  const Task& task_;
  Workers& workers_;
  ScratchPool scratches_;
  std::size_t batch_;
  std::unique_ptr<LazyStep> step_;
  std::vector<Block> blocks_;
};

}  // namespace hinge
