#include "hinge/learn/dual/dual_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hinge/learn/dual/simplex_qp.h"

namespace hinge {

DualSteps::DualSteps(const Task& task, const DualSettings& settings, AveragedWeights& w)
    : task_(task), settings_(settings), w_(w), scratch_(task.make_scratch()) {}

void DualSteps::meet(std::size_t i, WorkingSet& set, Pass& pass) {
  pass.decoding.start();
  task_.most_violated(i, weights(), /*loss_weight=*/1.0, *scratch_, cut_);
  pass.decoding.stop();
  check_cut(cut_, i);
  pass.updating.start();
  ++pass.examples;
  pass.loss += cut_.loss;
  const double h = std::max(0.0, cut_.violation());
  pass.violation += settings_.loss == Loss::kL2 ? h * h : h;
  if (gain(set, cut_.violation()) >= settings_.tolerance) {
    join(set, cut_);
    ++pass.updates;
  }
  sweep(set, pass.random);
  w_.end_step();
  pass.updating.stop();
}

bool DualSteps::join(WorkingSet& set, Cut& cut) const {
  cut.psi.merge();
  return set.join(cut, keeps_products() ? WorkingSet::Products::kKeep : WorkingSet::Products::kForget);
}

double DualSteps::gain(const WorkingSet& set, double violation) const {
  if (settings_.loss == Loss::kL2) return violation - set.mass() / (2.0 * settings_.C);
  if (set.mass() < settings_.C) return violation;
  double lowest = violation;  // mass must come from another member
  for (const Member& member : set.members()) {
    if (member.alpha > 0.0) lowest = std::min(lowest, member.loss - dot(weights(), member.psi));
  }
  return violation - lowest;
}

double DualSteps::slack(const WorkingSet& set) const {
  double most = 0.0;
  for (const Member& member : set.members()) most = std::max(most, member.loss - dot(weights(), member.psi));
  return most;
}

double DualSteps::sweep(WorkingSet& set, Random& random) {
  std::vector<Member>& members = set.members();
  if (members.empty()) return 0.0;
  const double worst = settings_.loss == Loss::kL2 ? sweep_l2(members, random) : sweep_l1(set);
  if (settings_.drop_idle) set.drop_idle();
  return worst;
}

void DualSteps::change_alpha(Member& member, double alpha) {
  if (alpha != member.alpha) w_.add(sigma_ * (alpha - member.alpha), member.psi);
  member.alpha = alpha;
}

// Chang & Yih (2013), Algorithm 1: one variable at a time in closed form
// (their line 3, Eq. 8), the newest first, the rest in random order.
double DualSteps::sweep_l2(std::vector<Member>& members, Random& random) {
  random.shuffle(std::span(members).subspan(1));
  const double ridge = 1.0 / (2.0 * settings_.C);
  double mass = 0.0;
  for (const Member& member : members) mass += member.alpha;
  double worst = 0.0;
  for (Member& member : members) {
    const double gradient = member.loss - dot(weights(), member.psi) - ridge * mass;
    const double before = member.alpha;
    change_alpha(member, std::max(before + gradient / (sigma_ * member.curvature + ridge), 0.0));
    mass += member.alpha - before;
    worst = std::max(worst, before > 0.0 ? std::abs(gradient) : gradient);
  }
  return worst;
}

// As the mass is bounded by C, steps on single variables get stuck. So mass moves
// between pairs, the unused mass being one more variable (learn/dual/simplex_qp.h).
// A single member has a closed form.
double DualSteps::sweep_l1(WorkingSet& set) {
  std::vector<Member>& members = set.members();
  const std::size_t n = members.size();
  gradient_.resize(n);
  double mass = 0.0;
  double high = 0.0;
  double low = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < n; ++k) {
    gradient_[k] = members[k].loss - dot(weights(), members[k].psi);
    mass += members[k].alpha;
    high = std::max(high, gradient_[k]);
    if (members[k].alpha > 0.0) low = std::min(low, gradient_[k]);
  }
  if (mass < settings_.C) low = std::min(low, 0.0);
  const double worst = high - low;
  constexpr double kRounding = 1e-7;
  if (!(worst > kRounding)) return 0.0;
  if (n == 1) {
    change_alpha(members[0], std::clamp(members[0].alpha + gradient_[0] / (sigma_ * members[0].curvature),
                                        0.0, settings_.C));
    return worst;
  }
  gram_.resize(n * n);
  linear_ = gradient_;
  alpha_.resize(n);
  for (std::size_t a = 0; a < n; ++a) {
    alpha_[a] = members[a].alpha;
    for (std::size_t b = 0; b <= a; ++b) {
      const double product = sigma_ * set.product(members[a], members[b]);
      gram_[a * n + b] = gram_[b * n + a] = product;
      linear_[a] += product * members[b].alpha;
      if (a != b) linear_[b] += product * members[a].alpha;
    }
  }
  // Enough for this visit; the next one continues.
  const int steps = 4 * static_cast<int>(n);
  solve({.gram = gram_, .linear = linear_, .C = settings_.C}, alpha_, /*tolerance=*/0.1 * worst, steps);
  for (std::size_t k = 0; k < n; ++k) change_alpha(members[k], alpha_[k]);
  return worst;
}

}  // namespace hinge
