#include "hinge/learn/dual/dual_learner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "hinge/learn/dual/simplex_qp.h"

namespace hinge {

DualLearner::DualLearner(const Task& task, Workers& workers, const DualSettings& settings)
    : task_(task),
      settings_(settings),
      all_(task, workers),
      scratch_(task.make_scratch()),
      w_(task.dimension(), settings.average ? Averaging::kUniform : Averaging::kNone),
      sets_(task.size()),
      order_(task.size()) {
  std::iota(order_.begin(), order_.end(), 0u);
}

Weights DualLearner::weights_of_alpha() const {
  Weights w(task_.dimension());
  add_weights(sets_, w);
  return w;
}

Weights DualLearner::model() const { return settings_.average ? w_.model() : weights_of_alpha(); }

Weights DualLearner::take_model() {
  if (settings_.average) return w_.take_model();
  w_ = AveragedWeights(0, Averaging::kNone);
  Weights w = weights_of_alpha();
  sets_ = {};
  return w;
}

std::optional<double> DualLearner::dual() const {
  return dual_value(sets_, squared_norm(weights_of_alpha()), settings_.loss, settings_.C);
}

void DualLearner::start_from(const Weights& w) {
  all_.run(
      w, [] { return false; },
      [this](std::size_t i, Cut& cut) {
        if (cut.violation() < settings_.tolerance) return;
        join(sets_[i], cut);
      });
}

void DualLearner::begin_pass() {
  constexpr std::int64_t kRefreshEvery = 16;
  if (++passes_ % kRefreshEvery == 0) w_.start_from(weights_of_alpha());
}

void DualLearner::meet_all(Pass& pass) {
  for (const std::uint32_t i : pass.order) {
    if (pass.cancelled()) return;
    meet(i, pass);
  }
}

void DualLearner::meet(std::size_t i, Pass& pass) {
  pass.decoding.start();
  task_.most_violated(i, weights(), /*loss_weight=*/1.0, *scratch_, cut_);
  pass.decoding.stop();
  check_cut(cut_, i);
  pass.updating.start();
  ++pass.examples;
  pass.loss += cut_.loss;
  const double h = std::max(0.0, cut_.violation());
  pass.violation += settings_.loss == Loss::kL2 ? h * h : h;
  if (gain(sets_[i], cut_.violation()) >= settings_.tolerance) {
    join(sets_[i], cut_);
    ++pass.updates;
  }
  sweep(sets_[i], pass.random);
  w_.end_step();
  pass.updating.stop();
}

bool DualLearner::join(WorkingSet& set, Cut& cut) const {
  cut.psi.merge();
  return set.join(cut, keeps_products() ? WorkingSet::Products::kKeep : WorkingSet::Products::kForget);
}

double DualLearner::gain(const WorkingSet& set, double violation) const {
  if (settings_.loss == Loss::kL2) return violation - set.mass() / (2.0 * settings_.C);
  if (set.mass() < settings_.C) return violation;
  double lowest = violation;  // mass must come from another member
  for (const Member& member : set.members()) {
    if (member.alpha > 0.0) lowest = std::min(lowest, member.loss - dot(weights(), member.psi));
  }
  return violation - lowest;
}

double DualLearner::slack(const WorkingSet& set) const {
  double most = 0.0;
  for (const Member& member : set.members()) most = std::max(most, member.loss - dot(weights(), member.psi));
  return most;
}

double DualLearner::sweep_each(std::span<const std::uint32_t> examples, Pass& pass, double tolerance,
                               std::vector<std::uint32_t>& unsolved) {
  unsolved.clear();
  double worst = 0.0;
  constexpr std::size_t kAskEvery = 256;
  for (std::size_t k = 0; k < examples.size(); ++k) {
    if (k % kAskEvery == 0 && pass.cancelled()) return 0.0;
    const double distance = sweep(sets_[examples[k]], pass.random);
    if (distance >= tolerance) unsolved.push_back(examples[k]);
    worst = std::max(worst, distance);
  }
  return worst;
}

double DualLearner::sweep_all(Pass& pass) {
  std::vector<std::uint32_t> unsolved;
  pass.random.shuffle(std::span(order_));
  return sweep_each(order_, pass, std::numeric_limits<double>::infinity(), unsolved);
}

bool DualLearner::solve_working_sets(Pass& pass, double tolerance, std::int64_t most_sweeps) {
  std::vector<std::uint32_t> some, unsolved;
  for (std::int64_t sweeps = 0; sweeps < most_sweeps;) {
    pass.random.shuffle(std::span(order_));
    if (sweep_each(order_, pass, tolerance, unsolved) < tolerance) return !pass.cancelled();
    for (++sweeps; sweeps < most_sweeps && !unsolved.empty(); ++sweeps) {
      some.swap(unsolved);
      pass.random.shuffle(std::span(some));
      sweep_each(some, pass, tolerance, unsolved);
    }
  }
  return false;
}

double DualLearner::sweep(WorkingSet& set, Random& random) {
  std::vector<Member>& members = set.members();
  if (members.empty()) return 0.0;
  const double worst = settings_.loss == Loss::kL2 ? sweep_l2(members, random) : sweep_l1(set);
  if (settings_.drop_idle) set.drop_idle();
  return worst;
}

void DualLearner::change_alpha(Member& member, double alpha) {
  if (alpha != member.alpha) w_.add(alpha - member.alpha, member.psi);
  member.alpha = alpha;
}

// Chang & Yih (2013), Algorithm 1: one variable at a time in closed form
// (their line 3, Eq. 8), the newest first, the rest in random order.
double DualLearner::sweep_l2(std::vector<Member>& members, Random& random) {
  random.shuffle(std::span(members).subspan(1));
  const double ridge = 1.0 / (2.0 * settings_.C);
  double mass = 0.0;
  for (const Member& member : members) mass += member.alpha;
  double worst = 0.0;
  for (Member& member : members) {
    const double gradient = member.loss - dot(weights(), member.psi) - ridge * mass;
    const double before = member.alpha;
    change_alpha(member, std::max(before + gradient / (member.curvature + ridge), 0.0));
    mass += member.alpha - before;
    worst = std::max(worst, before > 0.0 ? std::abs(gradient) : gradient);
  }
  return worst;
}

// As the mass is bounded by C, steps on single variables get stuck. So mass moves
// between pairs, the unused mass being one more variable (learn/dual/simplex_qp.h).
// A single member has a closed form.
double DualLearner::sweep_l1(WorkingSet& set) {
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
    change_alpha(members[0],
                 std::clamp(members[0].alpha + gradient_[0] / members[0].curvature, 0.0, settings_.C));
    return worst;
  }
  gram_.resize(n * n);
  linear_ = gradient_;
  alpha_.resize(n);
  for (std::size_t a = 0; a < n; ++a) {
    alpha_[a] = members[a].alpha;
    for (std::size_t b = 0; b <= a; ++b) {
      const double product = set.product(members[a], members[b]);
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
