// The small quadratic program behind every step on several constraints:
//
//   max_a  v . a - 1/2 a' G a      s.t.  a >= 0,  sum a <= C
//
// Solved by sequential minimal optimization: mass moves between the pair of
// variables that violates the optimality conditions most (Platt 1999; Keerthi
// et al. 2001, first-order working set selection). The unused mass C - sum a is
// itself a variable, with zero gradient and zero curvature. With C infinite and
// one variable at a time this is Hildreth's algorithm.
#pragma once

#include <span>

namespace hinge {

struct SimplexQp {
  std::span<const double> gram;    // G, [n][n], positive semi-definite
  std::span<const double> linear;  // v, [n]
  double C;                        // may be infinite
};

// Improves `alpha` (feasible on entry, so warm starts work) until no pair gains
// more than `tolerance` per unit of mass, or max_steps.
void solve(const SimplexQp& qp, std::span<double> alpha, double tolerance, int max_steps);

}  // namespace hinge
