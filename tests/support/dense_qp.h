// The optimum of the margin objectives over ALL outputs of an EnumeratedTask,
// found without decoders, working sets, floats or anything else from the
// project: the reference for its learners.
//
//   P(w) = R(w) + C sum_i psi(H_i(w)),   H_i(w) = max_y [ Delta_i(y) - w . psi_i(y) ]
//
// R = 1/2 |w|^2: accelerated projected gradient on the dual (Beck & Teboulle
// 2009, FISTA; restarts of O'Donoghue & Candes 2015). R = |w|_1: the primal-dual
// hybrid gradient method (Chambolle & Pock 2011) restarted at its averages. Both stop
// at a duality gap, so an Optimum certifies itself: bound <= min P <= value.
#pragma once

#include <span>
#include <vector>

#include "hinge/core/learner.h"
#include "tests/support/enumerated_task.h"

namespace hinge::test {

struct Optimum {
  double value = 0.0;     // P(w)
  double bound = 0.0;     // D(alpha) of a feasible alpha
  std::vector<double> w;  // [dimension]

  double relative_gap() const { return (value - bound) / value; }
};

// Needs kind.C. Stops at a relative gap of `precision`, or throws.
Optimum dense_optimum(const EnumeratedTask& task, const ObjectiveKind& kind, double precision = 1e-8);

// P(w) by brute force over all candidates.
double dense_primal(const EnumeratedTask& task, const ObjectiveKind& kind, std::span<const double> w);

std::vector<double> in_double(const Weights& w);

// The nearest point of { a >= 0, sum a <= C }, exactly; C may be infinite.
void project_to_simplex(std::span<double> a, double C);

// max_a  v . a - 1/2 a' G a   s.t.  a >= 0, sum a <= C,  by accelerated
// projected gradient; C may be infinite if the maximum is finite.
std::vector<double> dense_simplex_qp(std::span<const double> gram, std::span<const double> linear, double C);

double simplex_qp_value(std::span<const double> gram, std::span<const double> linear,
                        std::span<const double> a);

}  // namespace hinge::test
