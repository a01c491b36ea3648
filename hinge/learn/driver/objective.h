// The referee: evaluates the weights of any learner, from scratch, on the one
// objective that all margin learners share,
//
//   P(w) = R(w) + C sum_i psi(H_i(w)),   H_i(w) = max_y [ Delta_i(y) - w . psi_i(y) ],
//
// or, for likelihood learners, with a log-loss in place of psi(H). R is 1/2 |w|^2,
// |w|_1 or both, as ObjectiveKind says.
#pragma once

#include <cstdint>
#include <optional>

#include "hinge/core/learner.h"
#include "hinge/core/threads.h"

namespace hinge {

struct Objective {
  double primal = 0.0;
  double regularizer = 0.0;
  double loss = 0.0;           // sum of the losses, without C
  std::int64_t violated = 0;   // examples with H_i > 0
  std::optional<double> dual;  // of the learner, if it has one
  bool estimate = false;       // the gap is an estimate: see gap_is_estimate()

  void visit(State& state) { state(primal, regularizer, loss, violated, dual, estimate); }
  std::optional<double> gap() const { return dual ? std::optional<double>(primal - *dual) : std::nullopt; }
};

// The gap is a bound only if search is exact, gold and losses are fixed, and the
// model is linear; otherwise it is an estimate.
bool gap_is_estimate(const Task& task);

// Decodes every example once, in parallel; the sum is in order of examples, so
// it does not depend on the number of threads. Needs kind.C.
Objective measure_objective(const Task& task, const Weights& w, const ObjectiveKind& kind, Workers& workers);

}  // namespace hinge
