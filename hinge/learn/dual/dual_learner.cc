#include "hinge/learn/dual/dual_learner.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hinge {

DualLearner::DualLearner(const Task& task, Workers& workers, const DualSettings& settings)
    : task_(task),
      settings_(settings),
      all_(task, workers),
      w_(task.dimension(), settings.average ? Averaging::kUniform : Averaging::kNone),
      steps_(task, settings, w_),
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
      [this](std::size_t, const Cut& cut) { return cut.violation() >= settings_.tolerance; },
      [this](std::size_t i, Cut& cut) { steps_.join(sets_[i], cut); });
}

void DualLearner::begin_pass() {
  constexpr std::int64_t kRefreshEvery = 16;
  if (++passes_ % kRefreshEvery == 0) w_.start_from(weights_of_alpha());
}

void DualLearner::meet_all(Pass& pass) {
  for (const std::uint32_t i : pass.order) {
    if (pass.cancelled()) return;
    steps_.meet(i, sets_[i], pass);
  }
}

double DualLearner::sweep_each(std::span<const std::uint32_t> examples, Pass& pass, double tolerance,
                               std::vector<std::uint32_t>& unsolved) {
  unsolved.clear();
  double worst = 0.0;
  constexpr std::size_t kAskEvery = 256;
  for (std::size_t k = 0; k < examples.size(); ++k) {
    if (k % kAskEvery == 0 && pass.cancelled()) return 0.0;
    const double distance = steps_.sweep(sets_[examples[k]], pass.random);
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

}  // namespace hinge
