// Base of dual learners with a working set per example: weights that are sums of
// constraints, w = sum alpha psi, a dual value, and the steps on the variables of
// one example.
//
//   max_alpha  sum alpha Delta - 1/2 |w(alpha)|^2   alpha >= 0, and per example
//     L1-loss: sum_y alpha_iy <= C
//     L2-loss: - 1/(4C) (sum_y alpha_iy)^2 in the objective
#pragma once

#include "hinge/learn/batch/decode_all.h"
#include "hinge/learn/dual/working_set.h"
#include "hinge/learn/steps/averaging.h"

namespace hinge {

struct DualSettings {
  Loss loss;
  double C;
  double tolerance;       // minimum gain for adding a rival
  bool drop_idle = true;  // remove members whose alpha is zero
  bool average = false;   // the model is the mean of w over the visits
};

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
    for (const WorkingSet& set : sets_) state.require(!keeps_products() || set.has_products());
  }

 protected:
  DualLearner(const Task& task, Workers& workers, const DualSettings& settings);

  const Weights& weights() const { return w_.current(); }
  std::vector<WorkingSet>& sets() { return sets_; }
  AllDecoder& all() { return all_; }

  // Called first in every pass: recomputes w now and then, as rounding makes it
  // drift from sum alpha psi.
  void begin_pass();

  // An online pass: meet() for the examples in the order of the pass.
  void meet_all(Pass& pass);
  // Decodes one example under w, adds the rival if its gain reaches the tolerance,
  // and sweeps its working set.
  void meet(std::size_t i, Pass& pass);

  bool keeps_products() const { return settings_.loss == Loss::kL1; }
  // Adds a rival; returns whether it is new.
  bool join(WorkingSet& set, Cut& cut) const;
  // The largest gain of one unit of alpha on a rival with this violation.
  double gain(const WorkingSet& set, double violation) const;
  // max(0, Delta - w . psi) over the members.
  double slack(const WorkingSet& set) const;

  // Improves the variables of one example; returns how far from optimal they
  // were (the largest gain of a unit of mass).
  double sweep(WorkingSet& set, Random& random);
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
  double sweep_l1(WorkingSet& set);
  double sweep_l2(std::vector<Member>& members, Random& random);
  void change_alpha(Member& member, double alpha);

  Weights weights_of_alpha() const;

  const Task& task_;
  DualSettings settings_;
  AllDecoder all_;
  std::unique_ptr<Scratch> scratch_;
  AveragedWeights w_;
  std::vector<WorkingSet> sets_;
  std::vector<std::uint32_t> order_;
  std::int64_t passes_ = 0;
  Cut cut_;
  std::vector<double> gradient_, gram_, linear_, alpha_;  // of one example
};

}  // namespace hinge
