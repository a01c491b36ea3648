#include "tests/support/dense_qp.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

namespace hinge::test {
namespace {

using Vector = std::vector<double>;

double dot_product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double largest(std::span<const double> values) {  // in magnitude
  double result = 0.0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

// Every rival of every example as a row (psi, Delta); rows of example i are
// [begin[i], begin[i + 1]).
struct Problem {
  Problem(const EnumeratedTask& task, const ObjectiveKind& kind) : kind(kind), dimension(task.dimension()) {
    for (std::size_t i = 0; i < task.size(); ++i) {
      for (std::size_t c = 1; c < task.examples()[i].size(); ++c) {
        Cut cut = task.cut_of(i, c);
        loss.push_back(cut.loss);
        psi.push_back(to_sparse(cut.psi));
      }
      begin.push_back(psi.size());
    }
  }

  std::size_t rows() const { return psi.size(); }
  std::size_t examples() const { return begin.size() - 1; }
  double C() const { return kind.C.value(); }
  bool squared() const { return kind.loss == Loss::kL2; }

  Vector weights(std::span<const double> alpha) const {  // sum alpha psi
    Vector w(dimension, 0.0);
    for (std::size_t r = 0; r < rows(); ++r) {
      if (alpha[r] == 0.0) continue;
      for (const Entry& entry : psi[r].entries()) w[entry.id] += alpha[r] * entry.value;
    }
    return w;
  }

  double margin(std::size_t r, std::span<const double> w) const {
    double sum = 0.0;
    for (const Entry& entry : psi[r].entries()) sum += w[entry.id] * entry.value;
    return sum;
  }

  double mass(std::size_t i, std::span<const double> alpha) const {
    return std::accumulate(alpha.begin() + begin[i], alpha.begin() + begin[i + 1], 0.0);
  }

  double primal(std::span<const double> w) const {
    double value = 0.0;
    for (const double x : w) value += 0.5 * kind.l2 * x * x + kind.l1 * std::abs(x);
    for (std::size_t i = 0; i < examples(); ++i) {
      double worst = 0.0;
      for (std::size_t r = begin[i]; r < begin[i + 1]; ++r) worst = std::max(worst, loss[r] - margin(r, w));
      value += C() * (squared() ? worst * worst : worst);
    }
    return value;
  }

  // D(alpha) of the problems with R = 1/2 |w|^2.
  double dual(std::span<const double> alpha, std::span<const double> w) const {
    double value = dot_product(alpha, loss) - 0.5 * dot_product(w, w);
    for (std::size_t i = 0; squared() && i < examples(); ++i) {
      value -= mass(i, alpha) * mass(i, alpha) / (4.0 * C());
    }
    return value;
  }

  Vector dual_gradient(std::span<const double> alpha) const {
    const Vector w = weights(alpha);
    Vector gradient(rows());
    for (std::size_t i = 0; i < examples(); ++i) {
      const double pull = squared() ? mass(i, alpha) / (2.0 * C()) : 0.0;
      for (std::size_t r = begin[i]; r < begin[i + 1]; ++r) gradient[r] = loss[r] - margin(r, w) - pull;
    }
    return gradient;
  }

  void project(std::span<double> alpha) const {
    for (std::size_t i = 0; i < examples(); ++i) {
      project_to_simplex(alpha.subspan(begin[i], begin[i + 1] - begin[i]),
                         squared() ? std::numeric_limits<double>::infinity() : C());
    }
  }

  ObjectiveKind kind;
  std::size_t dimension;
  std::vector<SparseVector> psi;
  Vector loss;
  std::vector<std::size_t> begin{0};
};

// Almost certainly an upper bound on the largest eigenvalue of a symmetric
// positive semi-definite map: power iteration from a fixed start, plus a margin.
double largest_eigenvalue(std::size_t n, const std::function<Vector(const Vector&)>& apply) {
  Vector v(n);
  for (std::size_t k = 0; k < n; ++k) v[k] = 1.0 + 0.3 * std::sin(static_cast<double>(k + 1));
  double value = 0.0;
  for (int step = 0; step < 100; ++step) {
    const double norm = std::sqrt(dot_product(v, v));
    if (norm == 0.0) return 1.0;
    for (double& x : v) x /= norm;
    Vector next = apply(v);
    value = dot_product(v, next);
    v = std::move(next);
  }
  return 1.05 * value + 1e-12;
}

// max f over a convex set, f concave with a gradient of slope at most L.
class AcceleratedAscent {
 public:
  AcceleratedAscent(Vector start, double slope) : x_(start), y_(std::move(start)), step_(1.0 / slope) {}

  const Vector& point() const { return x_; }

  // Returns the largest change of a coordinate of the gradient step: 0 at an optimum.
  template <typename Gradient, typename Project>
  double advance(const Gradient& gradient, const Project& project) {
    Vector next = y_;
    const Vector g = gradient(y_);
    for (std::size_t k = 0; k < next.size(); ++k) next[k] += step_ * g[k];
    project(next);
    double against = 0.0;  // (y - next) . (next - x): above 0 if momentum overshoots
    double change = 0.0;
    for (std::size_t k = 0; k < next.size(); ++k) {
      against += (y_[k] - next[k]) * (next[k] - x_[k]);
      change = std::max({change, std::abs(next[k] - y_[k]), std::abs(next[k] - x_[k])});
    }
    if (against > 0.0) momentum_ = 1.0;
    const double grown = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum_ * momentum_));
    const double beta = against > 0.0 ? 0.0 : (momentum_ - 1.0) / grown;
    for (std::size_t k = 0; k < next.size(); ++k) y_[k] = next[k] + beta * (next[k] - x_[k]);
    momentum_ = grown;
    x_ = std::move(next);
    return change;
  }

 private:
  Vector x_;
  Vector y_;
  double step_;
  double momentum_ = 1.0;
};

[[noreturn]] void give_up(const Optimum& best) {
  throw std::runtime_error("the dense solver stopped at a relative gap of " +
                           std::to_string(best.relative_gap()));
}

// Keeps the best value and bound; true once they meet.
bool improve(Optimum& best, double value, double bound, const Vector& w, double precision) {
  best.bound = std::max(best.bound, bound);
  if (value < best.value) {
    best.value = value;
    best.w = w;
  }
  return best.value - best.bound <= precision * best.value;
}

Optimum solve_dual(const Problem& problem, double precision) {
  const double slope = largest_eigenvalue(problem.rows(), [&](const Vector& v) {
    Vector applied = problem.dual_gradient(v);  // Delta - (the quadratic form) v
    for (std::size_t r = 0; r < applied.size(); ++r) applied[r] = problem.loss[r] - applied[r];
    return applied;
  });
  AcceleratedAscent ascent(Vector(problem.rows(), 0.0), slope);
  Optimum best{.value = std::numeric_limits<double>::infinity()};
  for (int round = 0; round < 20000; ++round) {
    const Vector w = problem.weights(ascent.point());
    if (improve(best, problem.primal(w), problem.dual(ascent.point(), w), w, precision)) return best;
    for (int step = 0; step < 20; ++step) {
      ascent.advance([&](const Vector& alpha) { return problem.dual_gradient(alpha); },
                     [&](Vector& alpha) { problem.project(alpha); });
    }
  }
  give_up(best);
}

// min_w max_a  |w|_1 + a . (Delta - Psi w),  a in the product of simplices.
struct Saddle {
  Vector w, alpha;
};

void primal_dual_step(const Problem& problem, double step, Saddle& at) {
  const Vector pull = problem.weights(at.alpha);
  Vector ahead(at.w.size());  // 2 w' - w
  for (std::size_t d = 0; d < at.w.size(); ++d) {
    const double u = at.w[d] + step * pull[d];
    const double next = std::copysign(std::max(0.0, std::abs(u) - step), u);
    ahead[d] = 2.0 * next - at.w[d];
    at.w[d] = next;
  }
  for (std::size_t r = 0; r < problem.rows(); ++r) {
    at.alpha[r] += step * (problem.loss[r] - problem.margin(r, ahead));
  }
  problem.project(at.alpha);
}

// alpha is dual feasible if |Psi' alpha|_inf <= 1; shrinking makes it so.
double l1_bound(const Problem& problem, const Vector& alpha) {
  return dot_product(alpha, problem.loss) / std::max(1.0, largest(problem.weights(alpha)));
}

Optimum solve_l1_regularized(const Problem& problem, double precision) {
  const double norm = largest_eigenvalue(problem.rows(), [&](const Vector& v) {
    const Vector w = problem.weights(v);
    Vector applied(v.size());
    for (std::size_t r = 0; r < v.size(); ++r) applied[r] = problem.margin(r, w);
    return applied;
  });
  const double step = 1.0 / std::sqrt(norm);
  Saddle at{Vector(problem.dimension, 0.0), Vector(problem.rows(), 0.0)};
  Optimum best{.value = std::numeric_limits<double>::infinity()};
  int length = 64;  // steps between restarts at the average
  for (int round = 0; round < 200; ++round) {
    Saddle mean{Vector(at.w.size(), 0.0), Vector(at.alpha.size(), 0.0)};
    for (int s = 0; s < length; ++s) {
      primal_dual_step(problem, step, at);
      for (std::size_t d = 0; d < mean.w.size(); ++d) mean.w[d] += at.w[d] / length;
      for (std::size_t r = 0; r < mean.alpha.size(); ++r) mean.alpha[r] += at.alpha[r] / length;
    }
    if (improve(best, problem.primal(at.w), l1_bound(problem, at.alpha), at.w, precision)) return best;
    if (improve(best, problem.primal(mean.w), l1_bound(problem, mean.alpha), mean.w, precision)) return best;
    at = std::move(mean);
    length = std::min(4096, length + length / 4);
  }
  give_up(best);
}

}  // namespace

Optimum dense_optimum(const EnumeratedTask& task, const ObjectiveKind& kind, double precision) {
  const Problem problem(task, kind);
  if (kind.l2 == 1.0 && kind.l1 == 0.0) return solve_dual(problem, precision);
  if (kind.l2 == 0.0 && kind.l1 == 1.0) return solve_l1_regularized(problem, precision);
  throw std::logic_error("the dense solver knows 1/2 |w|^2 and |w|_1, but not both at once");
}

double dense_primal(const EnumeratedTask& task, const ObjectiveKind& kind, std::span<const double> w) {
  return Problem(task, kind).primal(w);
}

std::vector<double> in_double(const Weights& w) { return {w.span().begin(), w.span().end()}; }

void project_to_simplex(std::span<double> a, double C) {
  for (double& x : a) x = std::max(0.0, x);
  if (std::accumulate(a.begin(), a.end(), 0.0) <= C) return;
  // The shift that leaves a sum of C lies between two of the sorted values.
  Vector sorted(a.begin(), a.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double sum = 0.0;
  double shift = 0.0;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    sum += sorted[k];
    const double candidate = (sum - C) / static_cast<double>(k + 1);
    if (sorted[k] > candidate) shift = candidate;
  }
  for (double& x : a) x = std::max(0.0, x - shift);
}

std::vector<double> dense_simplex_qp(std::span<const double> gram, std::span<const double> linear, double C) {
  const std::size_t n = linear.size();
  const auto apply = [&](const Vector& v) {
    Vector result(n);
    for (std::size_t k = 0; k < n; ++k) result[k] = dot_product(gram.subspan(k * n, n), v);
    return result;
  };
  const auto gradient = [&](const Vector& v) {
    Vector result = apply(v);
    for (std::size_t k = 0; k < n; ++k) result[k] = linear[k] - result[k];
    return result;
  };
  AcceleratedAscent ascent(Vector(n, 0.0), largest_eigenvalue(n, apply));
  for (int step = 0; step < 200000; ++step) {
    if (ascent.advance(gradient, [C](Vector& v) { project_to_simplex(v, C); }) < 1e-13) break;
  }
  return ascent.point();
}

double simplex_qp_value(std::span<const double> gram, std::span<const double> linear,
                        std::span<const double> a) {
  const std::size_t n = linear.size();
  double value = dot_product(linear, a);
  for (std::size_t k = 0; k < n; ++k) value -= 0.5 * a[k] * dot_product(gram.subspan(k * n, n), a);
  return value;
}

}  // namespace hinge::test
