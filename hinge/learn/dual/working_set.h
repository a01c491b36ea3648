// The constraints of one example that a dual learner has found and still uses, with
// their dual variables; w = sum alpha psi over all examples. A member stores psi,
// so only where the rival differs from gold.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/core/learner.h"

namespace hinge {

struct Member {
  PackedVector psi;
  double loss = 0.0;
  double curvature = 0.0;  // |psi|^2
  double alpha = 0.0;
  double before = 0.0;     // alpha when the round began (learn/dual/rounds.h)
  std::uint32_t slot = 0;  // in the products, if they are kept

  void visit(State& state) { state(psi, loss, curvature, alpha, slot); }
};

class WorkingSet {
 public:
  // kKeep stores psi . psi of every pair of members, for steps on several at once.
  enum class Products { kForget, kKeep };

  std::vector<Member>& members() { return members_; }
  const std::vector<Member>& members() const { return members_; }

  double mass() const;  // sum of alpha

  // Adds the (merged) cut as the first member, with alpha 0; an existing one moves
  // to the front. Returns whether it is new.
  bool join(const Cut& cut, Products products = Products::kForget);
  // Removes members whose alpha is zero, and was when the round began.
  void drop_idle();
  bool has_products() const { return members_.empty() || !products_.empty(); }
  double product(const Member& a, const Member& b) const { return products_[a.slot * slots_ + b.slot]; }
  void visit(State& state) {
    state(members_, products_, slots_);
    state.require(products_.empty() || products_.size() == std::uint64_t{slots_} * slots_);
    for (const Member& member : members_) state.require(products_.empty() || member.slot < slots_);
  }

 private:
  void keep_products(Member& fresh);

  std::vector<Member> members_;
  std::vector<float> products_;  // [slots][slots]
  std::uint32_t slots_ = 0;
};

// Adds w(alpha) to w.
void add_weights(std::span<const WorkingSet> sets, Weights& w);

// The dual objective D(alpha), given |w(alpha)|^2:
//   sum alpha Delta - 1/2 |w|^2  [ - 1/(4C) sum_i (sum_y alpha_iy)^2 for L2-loss ]
double dual_value(std::span<const WorkingSet> sets, double squared_norm, Loss loss, double C);

}  // namespace hinge
