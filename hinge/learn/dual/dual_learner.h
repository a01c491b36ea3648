// Base of dual learners with a working set per example: weights that are sums of
// constraints, w = sum alpha psi, a dual value, and sweeps over the working sets by
// the steps of learn/dual/dual_steps.h.
#pragma once

#include "hinge/learn/batch/decode_all.h"
#include "hinge/learn/dual/dual_steps.h"

namespace hinge {

class DualLearner : public Learner {
 public:
  // Computed from alpha, unless averaged: free of the rounding of incremental
  // updates.
  Weights model() const override;
  Weights take_model() override;
  ObjectiveKind objective() const override { return {.loss = settings_.loss, .C = settings_.C}; }
  // D at the current alpha; also a valid bound for averaged weights.
  std::optional<double> dual() const override;
  void start_from(const Weights& w) override;
  void visit(State& state) override {
    state(w_);
    state.fixed(sets_, order_);
    state(passes_);
    state.require_below(order_, order_.size());
    for (const WorkingSet& set : sets_) state.require(!steps_.keeps_products() || set.has_products());
  }

 protected:
  DualLearner(const Task& task, Workers& workers, const DualSettings& settings);

  const Weights& weights() const { return w_.current(); }
  AveragedWeights& w() { return w_; }
  DualSteps& steps() { return steps_; }
  std::vector<WorkingSet>& sets() { return sets_; }
  const std::vector<WorkingSet>& sets() const { return sets_; }
  const Task& task() const { return task_; }
  const DualSettings& settings() const { return settings_; }
  AllDecoder& all() { return all_; }

  // w(alpha), from alpha alone.
  virtual Weights weights_of_alpha() const;

  // Called first in every pass: recomputes w now and then, as rounding makes it
  // drift from sum alpha psi.
  void begin_pass();

  // An online pass: meet() for the examples in the order of the pass.
  void meet_all(Pass& pass);
  // Sweeps all examples in random order; returns the largest distance, or 0 if
  // interrupted.
  double sweep_all(Pass& pass);
  // Sweeps until every example is within the tolerance of optimal, or most_sweeps.
  // Between sweeps over all examples only the unsolved ones are swept. Returns
  // whether all are solved.
  bool solve_working_sets(Pass& pass, double tolerance, std::int64_t most_sweeps);

 private:
  double sweep_each(std::span<const std::uint32_t> examples, Pass& pass, double tolerance,
                    std::vector<std::uint32_t>& unsolved);

  const Task& task_;
  DualSettings settings_;
  AllDecoder all_;
  AveragedWeights w_;
  DualSteps steps_;  // changes w_
  std::vector<WorkingSet> sets_;
  std::vector<std::uint32_t> order_;
  std::int64_t passes_ = 0;
};

}  // namespace hinge
