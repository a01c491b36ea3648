// The optimum of the likelihood objectives over ALL outputs of an
// EnumeratedTask, in doubles, by listing them:
//
//   P(w) = 1/2 |w|^2 + C sum_i ( log sum_y exp(w . Phi(y) + a Delta(y)) - w . Phi(gold) ),  a = 0 or 1
//
// P is 1-strongly convex, so that P(w) - min P <= 1/2 |grad P(w)|^2: the result
// certifies itself.
#pragma once

#include "hinge/core/learner.h"
#include "tests/support/dense_qp.h"
#include "tests/support/enumerated_task.h"

namespace hinge::test {

double dense_log_objective(const EnumeratedTask& task, Loss loss, double C, std::span<const double> w,
                           std::span<double> gradient);

Optimum dense_likelihood_optimum(const EnumeratedTask& task, Loss loss, double C, double precision = 1e-9);

}  // namespace hinge::test
