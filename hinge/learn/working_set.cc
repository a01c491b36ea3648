#include "hinge/learn/working_set.h"

#include <algorithm>

namespace hinge {

double WorkingSet::mass() const {
  double sum = 0.0;
  for (const Member& member : members_) sum += member.alpha;
  return sum;
}

bool WorkingSet::join(const Cut& cut) {
  Member fresh{.psi = PackedVector(cut.psi), .loss = cut.loss};
  fresh.curvature = fresh.psi.squared_norm();
  const auto known = std::find_if(members_.begin(), members_.end(), [&fresh](const Member& member) {
    return member.loss == fresh.loss && member.psi == fresh.psi;
  });
  if (known != members_.end()) {
    std::rotate(members_.begin(), known, known + 1);
    return false;
  }
  members_.insert(members_.begin(), std::move(fresh));
  return true;
}

void WorkingSet::drop_idle() {
  std::erase_if(members_, [](const Member& member) { return member.alpha == 0.0; });
}

void add_weights(const std::vector<WorkingSet>& sets, Weights& w) {
  for (const WorkingSet& set : sets) {
    for (const Member& member : set.members()) axpy(member.alpha, member.psi, w);
  }
}

double dual_value(const std::vector<WorkingSet>& sets, double squared_norm, Loss loss, double C) {
  double value = -0.5 * squared_norm;
  for (const WorkingSet& set : sets) {
    for (const Member& member : set.members()) value += member.alpha * member.loss;
    if (loss == Loss::kL2) value -= set.mass() * set.mass() / (4.0 * C);
  }
  return value;
}

}  // namespace hinge
