// Limited-memory BFGS, one iteration per call.
//
//   min_x  f(x) + l1 |x|_1      for smooth f
//
// Without l1: the two-loop recursion (Nocedal & Wright, 2nd ed. 2006, Algorithm
// 7.4) and a line search for the weak Wolfe conditions (their eq. 3.6). With l1:
// OWL-QN (Andrew, Gao, ICML 2007), the same within one orthant at a time.
//
// All state between iterations is in plain members: training can be watched,
// stopped, saved and resumed bit-identically.
//
// Symbols, as in the books: s = x' - x and y = g' - g of one iteration, the last
// `memory` of them kept; H the inverse Hessian they describe; d = -H g. With l1,
// g in d is the pseudo-gradient: the steepest of the subgradients at x.
//
// Per variable: 5 doubles and 2 * memory floats. Results are bit-identical for any
// number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "hinge/core/state.h"
#include "hinge/core/threads.h"

namespace hinge {

struct LbfgsOptions {
  int memory = 6;  // at least 1
  double l1 = 0.0;
  int line_search_steps = 20;  // maximum trials per direction
};

class Lbfgs {
 public:
  // Returns f(x) and writes its whole gradient. Where f is undefined it returns
  // infinity or NaN: steps that end there are shortened.
  using Function = std::function<double(std::span<const double> x, std::span<double> gradient)>;

  enum class Step {
    kMoved,
    kConverged,  // the (pseudo-)gradient is zero to rounding
    kStuck,      // no step improves; x is the best point seen
  };

  Lbfgs(std::vector<double> start, const LbfgsOptions& options, Workers& workers);

  // One iteration: a direction, a line search. The first also evaluates f at the start.
  Step step(const Function& f);

  // After the first step:
  std::span<const double> x() const { return x_; }
  double value() const { return value_; }                  // f + l1 |x|_1 at x
  double gradient_norm() const { return gradient_norm_; }  // of the (pseudo-)gradient at x
  double x_norm() const { return x_norm_; }
  std::int64_t evaluations() const { return evaluations_; }

  void visit(State& state) {
    state.fixed(x_, gradient_, s_, y_, sy_, yy_, sg_, yg_);
    state(next_, pairs_, value_, gradient_norm_, x_norm_, evaluations_);
    state.require(next_ < static_cast<std::size_t>(options_.memory) && pairs_ >= 0 &&
                  pairs_ <= options_.memory);
  }

 private:
  // A point on the line x + t d.
  struct Trial {
    double t = 0.0;
    double value = 0.0;
    double slope = 0.0;     // d . gradient; of f alone, so only used without l1
    double promised = 0.0;  // first-order change of the value; negative
  };

  void start(const Function& f);
  bool is_converged() const;
  bool descend(const Function& f);

  double find_direction();
  double weigh_pairs();

  bool search(const Function& f, double slope);
  Trial evaluate(const Function& f, double t, double slope);
  bool decreases(const Trial& trial, double slope) const;
  double next_step(const Trial& low, const Trial& high, double slope) const;

  void move_to(const Trial& trial);
  void keep_pair(std::span<const double> sums);
  std::size_t slot(int age) const;

  template <typename Body>
  std::span<const double> reduce(std::size_t width, const Body& body);
  const double* steepest(const std::vector<double>& x, const std::vector<double>& gradient, std::size_t begin,
                         std::size_t end, std::span<double> buffer) const;

  LbfgsOptions options_;
  Workers& workers_;
  std::size_t n_;

  std::vector<double> x_;
  std::vector<double> gradient_;  // of f
  std::vector<double> direction_;
  std::vector<double> trial_;
  std::vector<double> trial_gradient_;

  // Floats: s and y only shape H, and H is a guess at curvature. Their rounding
  // tilts d by some 1e-7, which no line search notices; x and the gradients,
  // whose small differences matter, are doubles. All products below are of the
  // rounded vectors, so H is exactly that of some pairs with s.y > 0.
  std::vector<float> s_;  // [memory][n], a ring
  std::vector<float> y_;
  std::size_t next_ = 0;    // the slot to be written next
  int pairs_ = 0;           // in use, those before next_
  std::vector<double> sy_;  // [memory][memory]: s_i . y_j, for i not newer than j
  std::vector<double> yy_;  // [memory][memory]
  std::vector<double> sg_;  // [memory], with the (pseudo-)gradient at x
  std::vector<double> yg_;

  double value_ = 0.0;
  double gradient_norm_ = 0.0;
  double x_norm_ = 0.0;
  std::int64_t evaluations_ = 0;

  // Used within one call only.
  std::vector<double> sums_;      // [chunks + 1][width]
  std::vector<double> s_weight_;  // [memory], d = -gamma g + sum_i s_weight_i s_i + y_weight_i y_i
  std::vector<double> y_weight_;
};

}  // namespace hinge
