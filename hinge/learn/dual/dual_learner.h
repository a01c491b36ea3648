// What dual learners with a working set per example have in common: weights
// that are sums of constraints, w = sum alpha psi, a dual value, and the steps
// on the variables of one example.
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
  double tolerance;       // gain from which a rival joins
  bool drop_idle = true;  // members whose alpha is zero leave
  bool average = false;   // the model is the mean of w over the visits
};

class DualLearner : public Learner {
 public:
  // Computed from alpha, unless averaged: the residues of step-by-step updates
  // are gone.
  Weights model() const override;
  Weights take_model() override;
  ObjectiveKind objective() const override { return {.loss = settings_.loss, .C = settings_.C}; }
  // D at the current alpha; also a valid bound for averaged weights.
  std::optional<double> dual() const override;
  void start_from(const Weights& w) override;
  void visit(State& state) override { state(w_, sets_, order_, passes_); }

 protected:
  DualLearner(const Task& task, Workers& workers, const DualSettings& settings);

  const Weights& weights() const { return w_.current(); }
  std::vector<WorkingSet>& sets() { return sets_; }
  AllDecoder& all() { return all_; }

  // Once per pass, first: now and then w is recomputed, as rounding makes it
  // drift away from sum alpha psi.
  void begin_pass();

  // An online pass: meets the examples in the order of the pass.
  void meet_all(Pass& pass);
  // Decodes one example under w, takes the rival in if that promises more than
  // the tolerance, and sweeps its working set.
  void meet(std::size_t i, Pass& pass);

  // Takes a rival in; says whether it is new.
  bool join(WorkingSet& set, Cut& cut) const;
  // The most that one unit of alpha on a rival of this violation would gain.
  double gain(const WorkingSet& set, double violation) const;
  // max(0, Delta - w . psi) over the members.
  double slack(const WorkingSet& set) const;

  // Improves the variables of one example; returns how far from optimal they
  // were (the largest gain of a unit of mass).
  double sweep(WorkingSet& set, Random& random);
  // All examples in random order; the largest of those, or 0 once interrupted.
  double sweep_all(Pass& pass);
  // Sweeps until no example is further from optimal than the tolerance, or
  // most_sweeps. Between looks at all examples, only those that were are swept.
  // Says whether it got there.
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
