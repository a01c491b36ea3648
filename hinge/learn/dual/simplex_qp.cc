#include "hinge/learn/dual/simplex_qp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hinge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Solver {
 public:
  Solver(const SimplexQp& qp, std::span<double> alpha) : qp_(qp), alpha_(alpha), n_(alpha.size()) {
    gradient_.assign(qp.linear.begin(), qp.linear.end());
    double used = 0.0;
    for (std::size_t j = 0; j < n_; ++j) {
      used += alpha_[j];
      for (std::size_t k = 0; k < n_; ++k) gradient_[k] -= gram(k, j) * alpha_[j];
    }
    unused_ = std::max(0.0, qp.C - used);
  }

  bool step(double tolerance) {
    std::size_t up = n_;  // index n_ stands for the unused mass
    std::size_t down = n_;
    double high = 0.0;
    double low = unused_ > 0.0 ? 0.0 : kInfinity;
    for (std::size_t j = 0; j < n_; ++j) {
      if (gradient_[j] > high) high = gradient_[up = j];
      if (alpha_[j] > 0.0 && gradient_[j] < low) low = gradient_[down = j];
    }
    if (!(high - low > tolerance)) return false;
    const double limit = down == n_ ? unused_ : alpha_[down];
    const double curvature = gram(up, up) + gram(down, down) - 2.0 * gram(up, down);
    const double amount = curvature > 0.0 ? std::min(limit, (high - low) / curvature) : limit;
    if (!std::isfinite(amount)) return false;  // unbounded: a violated constraint without features
    move(up, amount);
    move(down, -amount);
    return true;
  }

 private:
  double gram(std::size_t a, std::size_t b) const { return a == n_ || b == n_ ? 0.0 : qp_.gram[a * n_ + b]; }

  void move(std::size_t j, double amount) {
    if (j == n_) {
      unused_ = std::max(0.0, unused_ + amount);
      return;
    }
    alpha_[j] = std::max(0.0, alpha_[j] + amount);
    for (std::size_t k = 0; k < n_; ++k) gradient_[k] -= gram(k, j) * amount;
  }

  const SimplexQp& qp_;
  std::span<double> alpha_;
  std::size_t n_;
  std::vector<double> gradient_;
  double unused_;
};

}  // namespace

void solve(const SimplexQp& qp, std::span<double> alpha, double tolerance, int max_steps) {
  Solver solver(qp, alpha);
  for (int step = 0; step < max_steps && solver.step(tolerance); ++step) {
  }
}

}  // namespace hinge
