// The optimum of the likelihood objectives over ALL outputs of an
// EnumeratedTask, in doubles, by listing them:
//
//   P(w) = l2 / 2 |w|^2 + l1 |w|_1 + C sum_i ( log sum_y exp(w . Phi(y) + a Delta(y)) - w . Phi(gold) ),
//   a = 0 or 1
//
// P is l2-strongly convex, so that P(w) - min P <= |g|^2 / (2 l2) for every
// subgradient g at w: the result certifies itself.
#pragma once

#include "hinge/core/learner.h"
#include "tests/support/dense_qp.h"
#include "tests/support/enumerated_task.h"

namespace hinge::test {

// The smooth part of P, without l1 |w|_1, and its gradient.
double dense_log_objective(const EnumeratedTask& task, const ObjectiveKind& kind, std::span<const double> w,
                           std::span<double> gradient);

// The smallest dL/dw + l1 sign(w), zero at the optimum. At w = 0 the slope of |w|
// may be anything between -1 and 1.
std::vector<double> least_subgradient(std::span<const double> w, std::span<const double> gradient, double l1);

// Needs kind.l2 above 0. By proximal gradient steps (ISTA with backtracking, Beck &
// Teboulle 2009, section 3), which are gradient descent if l1 is 0.
Optimum dense_likelihood_optimum(const EnumeratedTask& task, const ObjectiveKind& kind,
                                 double precision = 1e-9);

}  // namespace hinge::test
