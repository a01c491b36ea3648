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

}  // namespace

double dense_log_objective(const EnumeratedTask& task, Loss loss, double C, std::span<const double> w,
                           std::span<double> gradient) {
  std::ranges::copy(w, gradient.begin());
  double value = 0.5 * squared(w);
  for (const std::vector<Candidate>& outputs : task.examples()) {
    std::vector<double> score;
    for (const Candidate& output : outputs)
      score.push_back(dot(w, output.features) + (loss == Loss::kSoftmaxMargin ? output.loss : 0.0));
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

Optimum dense_likelihood_optimum(const EnumeratedTask& task, Loss loss, double C, double precision) {
  Optimum result{.w = std::vector<double>(task.dimension())};
  std::vector<double> gradient(task.dimension()), trial(task.dimension()), trial_gradient(task.dimension());
  double step = 1.0;
  result.value = dense_log_objective(task, loss, C, result.w, gradient);
  constexpr int kMost = 200000;
  for (int iteration = 0; iteration < kMost; ++iteration) {
    const double norm = squared(gradient);
    result.bound = result.value - 0.5 * norm;
    if (result.relative_gap() <= precision) return result;
    for (;; step /= 2.0) {  // Armijo
      for (std::size_t d = 0; d < trial.size(); ++d) trial[d] = result.w[d] - step * gradient[d];
      const double value = dense_log_objective(task, loss, C, trial, trial_gradient);
      if (value <= result.value - 0.25 * step * norm) {
        result.value = value;
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
