// Steps on the dual variables of one example, for a loss on the margins of its
// working set:
//
//   max_alpha  sum alpha Delta - 1/2 |w(alpha)|^2   alpha >= 0, and per example
//     L1-loss: sum_y alpha_iy <= C
//     L2-loss: - 1/(4C) (sum_y alpha_iy)^2 in the objective
#pragma once

#include <memory>
#include <vector>

#include "hinge/learn/dual/working_set.h"
#include "hinge/learn/steps/averaging.h"

namespace hinge {

struct DualSettings {
  Loss loss;
  double C;
  double tolerance;        // minimum gain for adding a rival
  bool drop_idle = true;   // remove members whose alpha is zero
  bool average = false;    // the model is the mean of w over the visits
  std::int64_t round = 1;  // examples per round, if there are shards
};

class DualSteps {
 public:
  // Reads and changes `w`.
  DualSteps(const Task& task, const DualSettings& settings, AveragedWeights& w);

  // Changes of w count so many times (learn/dual/rounds.h); 1 unless set.
  void set_sigma(double sigma) { sigma_ = sigma; }

  // Decodes example i under w, adds the rival if its gain reaches the tolerance,
  // and sweeps its working set.
  void meet(std::size_t i, WorkingSet& set, Pass& pass);

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

 private:
  const Weights& weights() const { return w_.current(); }
  double sweep_l1(WorkingSet& set);
  double sweep_l2(std::vector<Member>& members, Random& random);
  void change_alpha(Member& member, double alpha);

  const Task& task_;
  DualSettings settings_;
  AveragedWeights& w_;
  double sigma_ = 1.0;
  std::unique_ptr<Scratch> scratch_;
  Cut cut_;
  std::vector<double> gradient_, gram_, linear_, alpha_;  // of one example
};

}  // namespace hinge
