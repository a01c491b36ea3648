// The constraints a dual learner has met and still uses, per example, with
// their dual variables; w = sum alpha psi over all of them. A member stores
// psi, that is only where the rival differs from gold.
#pragma once

#include <cstdint>
#include <vector>

#include "hinge/core/learner.h"

namespace hinge {

struct Member {
  SparseVector psi;  // merged
  double loss = 0.0;
  double curvature = 0.0;  // |psi|^2
  double alpha = 0.0;
};

class WorkingSet {
 public:
  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }

  double mass() const;  // sum of alpha

  // Takes the cut in as the first member, with alpha 0; one that is there
  // already only comes to the front.
  void join(const Cut& cut);
  void drop_idle();  // forgets members whose alpha is zero

 private:
  std::vector<Member> members_;
};

// w(alpha), from scratch: incremental updates leave residues.
Weights weights_of(const std::vector<WorkingSet>& sets, std::size_t dimension);

// D(alpha) of algorithms' one objective, given |w(alpha)|^2:
//   sum alpha Delta - 1/2 |w|^2  [ - 1/(4C) sum_i (sum_y alpha_iy)^2 for L2-loss ]
double dual_value(const std::vector<WorkingSet>& sets, double squared_norm, Loss loss, double C);

}  // namespace hinge
