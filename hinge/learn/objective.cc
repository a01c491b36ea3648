#include "hinge/learn/objective.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace hinge {
namespace {

double regularizer_of(const Weights& w, bool l1) {
  if (!l1) return 0.5 * squared_norm(w);
  double sum = 0.0;
  for (const float value : w.span()) sum += std::abs(static_cast<double>(value));
  return sum;
}

}  // namespace

Objective measure_objective(const Task& task, const Weights& w, const ObjectiveKind& kind, Workers& workers) {
  assert(kind.C.has_value());
  ScratchPool scratches(task);
  std::vector<Cut> met(task.size());  // without psi
  workers.each(task.size(), [&](std::size_t i) {
    task.most_violated(i, w, /*loss_weight=*/1.0, scratches.local(), met[i]);
    met[i].psi = SparseVector();
  });

  Objective result;
  for (std::size_t i = 0; i < met.size(); ++i) {
    check_cut(met[i], i);
    const double h = std::max(0.0, met[i].violation());
    result.loss += kind.loss == Loss::kL2 ? h * h : h;
    result.violated += h > 0.0;
  }
  result.regularizer = regularizer_of(w, kind.l1_regularizer);
  result.primal = result.regularizer + *kind.C * result.loss;
  const TaskFacts facts = task.facts();
  result.estimate = !(facts.exact && facts.fixed_gold && facts.linear);
  return result;
}

}  // namespace hinge
