#include "tests/support/dense_likelihood.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace hinge::test {
namespace {

double dot(std::span<const double> w, const SparseVector& features) {
  double sum = 0.0;
  for (const Entry& entry : features.entries()) sum += w[entry.id] * entry.value;
  return sum;
}

void add(double scale, const SparseVector& features, std::span<double> w) {
  for (const Entry& entry : features.entries()) w[entry.id] += scale * entry.value;
}

double squared(std::span<const double> v) {
  double sum = 0.0;
  for (const double value : v) sum += value * value;
  return sum;
}

double absolute(std::span<const double> v) {
  double sum = 0.0;
  for (const double value : v) sum += std::abs(value);
  return sum;
}

// Moves to the minimum of this step's quadratic upper bound on P.
double proximal_step(double w, double gradient, double step, double l1) {
  const double u = w - step * gradient;
  return std::copysign(std::max(0.0, std::abs(u) - step * l1), u);
}

}  // namespace

double dense_log_objective(const EnumeratedTask& task, const ObjectiveKind& kind, std::span<const double> w,
                           std::span<double> gradient) {
  const double C = kind.C.value();
  for (std::size_t d = 0; d < w.size(); ++d) gradient[d] = kind.l2 * w[d];
  double value = 0.5 * kind.l2 * squared(w);
  for (const std::vector<Candidate>& outputs : task.examples()) {
    std::vector<double> score;
    for (const Candidate& output : outputs)
      score.push_back(dot(w, output.features) + (kind.loss == Loss::kSoftmaxMargin ? output.loss : 0.0));
    const double highest = *std::ranges::max_element(score);
    double total = 0.0;
    for (const double s : score) total += std::exp(s - highest);
    value += C * (std::log(total) + highest - score[0]);
    add(-C, outputs[0].features, gradient);
    for (std::size_t y = 0; y < outputs.size(); ++y)
      add(C * std::exp(score[y] - highest) / total, outputs[y].features, gradient);
  }
  return value;
}

std::vector<double> least_subgradient(std::span<const double> w, std::span<const double> gradient,
                                      double l1) {
  std::vector<double> result(gradient.begin(), gradient.end());
  for (std::size_t d = 0; d < result.size(); ++d)
    result[d] += w[d] != 0.0 ? std::copysign(l1, w[d]) : -std::clamp(gradient[d], -l1, l1);
  return result;
}

Optimum dense_likelihood_optimum(const EnumeratedTask& task, const ObjectiveKind& kind, double precision) {
  Optimum result{.w = std::vector<double>(task.dimension())};
  std::vector<double> gradient(task.dimension()), trial(task.dimension()), trial_gradient(task.dimension());
  double step = 1.0;
  double smooth = dense_log_objective(task, kind, result.w, gradient);
  constexpr int kMost = 200000;
  for (int iteration = 0; iteration < kMost; ++iteration) {
    result.value = smooth + kind.l1 * absolute(result.w);
    result.bound = result.value - squared(least_subgradient(result.w, gradient, kind.l1)) / (2.0 * kind.l2);
    if (result.relative_gap() <= precision) return result;
    for (;; step /= 2.0) {
      double above = smooth;  // the upper bound at the trial point
      for (std::size_t d = 0; d < trial.size(); ++d) {
        trial[d] = proximal_step(result.w[d], gradient[d], step, kind.l1);
        const double moved = trial[d] - result.w[d];
        above += moved * gradient[d] + moved * moved / (2.0 * step);
      }
      const double value = dense_log_objective(task, kind, trial, trial_gradient);
      if (value <= above) {
        smooth = value;
        break;
      }
    }
    result.w.swap(trial);
    gradient.swap(trial_gradient);
    step *= 1.5;
  }
  throw std::runtime_error("the dense likelihood did not converge");
}

}  // namespace hinge::test
