#include "hinge/learn/dual/working_set.h"

#include <algorithm>

namespace hinge {

double WorkingSet::mass() const {
  double sum = 0.0;
  for (const Member& member : members_) sum += member.alpha;
  return sum;
}

bool WorkingSet::join(const Cut& cut, Products products) {
  Member fresh{.psi = to_packed(cut.psi), .loss = cut.loss};
  fresh.curvature = fresh.psi.squared_norm();
  const auto known = std::find_if(members_.begin(), members_.end(), [&fresh](const Member& member) {
    return member.loss == fresh.loss && member.psi == fresh.psi;
  });
  if (known != members_.end()) {
    std::rotate(members_.begin(), known, known + 1);
    return false;
  }
  if (products == Products::kKeep) keep_products(fresh);
  members_.insert(members_.begin(), std::move(fresh));
  return true;
}

// Members change places, but keep their slots until they are removed.
void WorkingSet::keep_products(Member& fresh) {
  std::vector<bool> used(slots_ + 1);
  for (const Member& member : members_) used[member.slot] = true;
  fresh.slot = static_cast<std::uint32_t>(std::ranges::find(used, false) - used.begin());
  if (fresh.slot == slots_) {
    const std::uint32_t more = std::max(4u, slots_ + slots_ / 2);
    std::vector<float> larger(std::size_t{more} * more);
    for (std::size_t row = 0; row < slots_; ++row)
      std::copy_n(products_.data() + row * slots_, slots_, larger.data() + row * more);
    products_ = std::move(larger);
    slots_ = more;
  }
  const auto set = [this](std::uint32_t a, std::uint32_t b, double value) {
    products_[a * slots_ + b] = products_[b * slots_ + a] = static_cast<float>(value);
  };
  set(fresh.slot, fresh.slot, fresh.curvature);
  for (const Member& member : members_) set(fresh.slot, member.slot, dot(fresh.psi, member.psi));
}

void WorkingSet::drop_idle() {
  std::erase_if(members_, [](const Member& member) { return member.alpha == 0.0 && member.before == 0.0; });
}

void add_weights(std::span<const WorkingSet> sets, Weights& w) {
  for (const WorkingSet& set : sets) {
    for (const Member& member : set.members()) axpy(member.alpha, member.psi, w);
  }
}

double dual_value(std::span<const WorkingSet> sets, double squared_norm, Loss loss, double C) {
  double value = -0.5 * squared_norm;
  for (const WorkingSet& set : sets) {
    for (const Member& member : set.members()) value += member.alpha * member.loss;
    if (loss == Loss::kL2) value -= set.mass() * set.mass() / (4.0 * C);
  }
  return value;
}

}  // namespace hinge
