#include "hinge/learn/batch/lbfgs.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace hinge {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

// c1 and c2 of the Wolfe conditions, as is usual for quasi-Newton directions.
constexpr double kDecrease = 1e-4;
constexpr double kCurvature = 0.9;

// The unit of parallel work and of summation. Small enough that a chunk stays in
// the cache during the loop over the stored pairs.
constexpr std::size_t kChunk = 2048;

// Sums are split into strands: a compiler may not reorder additions, so it could
// not vectorize a single sum.
constexpr std::size_t kStrands = 4;
using Strands = std::array<double, kStrands>;

double total(const Strands& sum) { return (sum[0] + sum[1]) + (sum[2] + sum[3]); }

template <typename A, typename B>
double dot(const A* a, const B* b, std::size_t n) {
  Strands sum{};
  std::size_t j = 0;
  for (; j + kStrands <= n; j += kStrands) {
    for (std::size_t k = 0; k < kStrands; ++k) sum[k] += double{a[j + k]} * double{b[j + k]};
  }
  for (; j < n; ++j) sum[0] += double{a[j]} * double{b[j]};
  return total(sum);
}

constexpr std::size_t kPairProducts = 4;

// s.new_y, y.new_y, s.g, y.g in one pass.
void pair_products(const float* s, const float* y, const float* new_y, const double* g, std::size_t n,
                   double* out) {
  std::array<Strands, kPairProducts> sum{};
  const auto add = [&](std::size_t j, std::size_t k) {
    const double s_j = s[j];
    const double y_j = y[j];
    sum[0][k] += s_j * double{new_y[j]};
    sum[1][k] += y_j * double{new_y[j]};
    sum[2][k] += s_j * g[j];
    sum[3][k] += y_j * g[j];
  };
  std::size_t j = 0;
  for (; j + kStrands <= n; j += kStrands) {
    for (std::size_t k = 0; k < kStrands; ++k) add(j + k, k);
  }
  for (; j < n; ++j) add(j, 0);
  for (std::size_t p = 0; p < kPairProducts; ++p) out[p] = total(sum[p]);
}

// Andrew & Gao, the negative of their v: the derivative of f + l1 |x| on the side
// of x_j where it falls, zero if it falls on neither.
double pseudo_gradient(double x, double gradient, double l1) {
  return x != 0.0 ? gradient + std::copysign(l1, x) : gradient - std::clamp(gradient, -l1, l1);
}

bool opposed(double a, double b) { return (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0); }

}  // namespace

Lbfgs::Lbfgs(std::vector<double> start, const LbfgsOptions& options, Workers& workers)
    : options_(options), workers_(workers), n_(start.size()), x_(std::move(start)) {
  assert(options.memory >= 1 && options.l1 >= 0.0);
  const auto memory = static_cast<std::size_t>(options.memory);
  for (auto* v : {&gradient_, &direction_, &trial_, &trial_gradient_}) v->resize(n_);
  for (auto* v : {&s_, &y_}) v->resize(memory * n_);
  for (auto* v : {&sy_, &yy_}) v->resize(memory * memory);
  for (auto* v : {&sg_, &yg_, &s_weight_, &y_weight_}) v->resize(memory);
  sums_.resize((n_ / kChunk + 2) * (3 + kPairProducts * memory));
}

Lbfgs::Step Lbfgs::step(const Function& f) {
  if (evaluations_ == 0) start(f);
  if (!std::isfinite(value_)) return Step::kStuck;
  if (is_converged()) return Step::kConverged;
  if (descend(f)) return Step::kMoved;
  if (pairs_ == 0) return Step::kStuck;
  pairs_ = 0;  // their curvature does not hold here
  return descend(f) ? Step::kMoved : Step::kStuck;
}

void Lbfgs::start(const Function& f) {
  value_ = f(x_, gradient_);
  ++evaluations_;
  const auto sums = reduce(3, [&](std::size_t begin, std::size_t end, double* out) {
    std::array<double, kChunk> buffer{};
    const double* g = steepest(x_, gradient_, begin, end, buffer);
    const double* x = &x_[begin];
    out[0] = dot(g, g, end - begin);
    out[1] = dot(x, x, end - begin);
    out[2] = 0.0;
    for (std::size_t j = begin; j < end; ++j) out[2] += std::abs(x_[j]);
  });
  gradient_norm_ = std::sqrt(sums[0]);
  x_norm_ = std::sqrt(sums[1]);
  value_ += options_.l1 * sums[2];
}

// Even a step as long as x would not show in the value.
bool Lbfgs::is_converged() const {
  return gradient_norm_ * std::max(1.0, x_norm_) <= kEpsilon * std::abs(value_);
}

bool Lbfgs::descend(const Function& f) {
  const double slope = find_direction();
  return slope < 0.0 && std::isfinite(slope) && search(f, slope);
}

// d = -H g; returns the slope d.g. With l1, components that do not descend are
// zeroed (Andrew & Gao, the projection of d onto v).
double Lbfgs::find_direction() {
  const double gamma = weigh_pairs();
  return reduce(1, [&](std::size_t begin, std::size_t end, double* out) {
    std::array<double, kChunk> buffer{};
    const std::size_t size = end - begin;
    const double* g = steepest(x_, gradient_, begin, end, buffer);
    double* d = &direction_[begin];
    for (std::size_t j = 0; j < size; ++j) d[j] = -gamma * g[j];
    for (int age = 1; age <= pairs_; ++age) {
      const std::size_t i = slot(age);
      const float* s = &s_[i * n_ + begin];
      const float* y = &y_[i * n_ + begin];
      const double a = s_weight_[i];
      const double b = y_weight_[i];
      for (std::size_t j = 0; j < size; ++j) d[j] += a * double{s[j]} + b * double{y[j]};
    }
    if (options_.l1 > 0.0) {
      for (std::size_t j = 0; j < size; ++j) d[j] = opposed(d[j], g[j]) ? d[j] : 0.0;
    }
    out[0] = dot(d, g, size);
  })[0];
}

// The two loops (Nocedal & Wright, Algorithm 7.4) on the coefficients of g, s and y
// in q and r, instead of on q and r themselves (Chen, Wang, Zhou, NIPS 2014). The
// products of the vectors are known from move_to, so this touches no variables: an
// iteration passes over the memory twice, for the products and for d, where the
// textbook loops would rewrite q or r 2 * memory times. Returns gamma, the weight
// of g and the scale of H_0 (Nocedal & Wright, eq. 7.20).
double Lbfgs::weigh_pairs() {
  if (pairs_ == 0) return 1.0;
  const auto memory = static_cast<std::size_t>(options_.memory);
  const auto sy = [&](std::size_t i, std::size_t j) { return sy_[i * memory + j]; };
  const auto yy = [&](std::size_t i, std::size_t j) { return yy_[i * memory + j]; };
  std::vector<double>& alpha = y_weight_;
  for (int age = 1; age <= pairs_; ++age) {  // alpha_i = s_i . q / s_i . y_i
    const std::size_t i = slot(age);
    double product = sg_[i];
    for (int newer = 1; newer < age; ++newer) product -= alpha[slot(newer)] * sy(i, slot(newer));
    alpha[i] = product / sy(i, i);
  }
  const double gamma = sy(slot(1), slot(1)) / yy(slot(1), slot(1));
  for (int age = pairs_; age >= 1; --age) {  // beta_i = y_i . r / s_i . y_i
    const std::size_t i = slot(age);
    double product = gamma * yg_[i];
    for (int other = 1; other <= pairs_; ++other) {
      const std::size_t j = slot(other);
      product -= gamma * alpha[j] * yy(i, j);
      if (other > age) product -= s_weight_[j] * sy(j, i);
    }
    s_weight_[i] = product / sy(i, i) - alpha[i];  // beta - alpha: of d = -r
  }
  for (double& weight : y_weight_) weight *= gamma;
  return gamma;
}

// Brackets a step between `low`, where the value falls enough but still falls
// steeply, and `high`, where it does not fall enough. With l1 only a decrease is
// required, and steps only shrink (Andrew & Gao).
bool Lbfgs::search(const Function& f, double slope) {
  const Trial origin{.t = 0.0, .value = value_, .slope = slope};
  Trial low = origin;
  Trial high{.t = kInfinity};
  Trial best = origin;
  Trial trial;
  double t = pairs_ > 0 ? 1.0 : 1.0 / gradient_norm_;
  for (int k = 0; k < options_.line_search_steps; ++k) {
    trial = evaluate(f, t, slope);
    if (trial.value < best.value) best = trial;
    if (!decreases(trial, slope)) {
      high = trial;
    } else if (options_.l1 == 0.0 && trial.slope < kCurvature * slope) {
      low = trial;
    } else {
      move_to(trial);
      return true;
    }
    // A gain too small to show in the value will not show in shorter steps.
    if (low.t == 0.0 && -trial.promised < kEpsilon * std::abs(value_)) break;
    t = next_step(low, high, slope);
  }
  if (!(best.value < value_)) return false;
  move_to(best.t == trial.t ? trial : evaluate(f, best.t, slope));
  return true;
}

Lbfgs::Trial Lbfgs::evaluate(const Function& f, double t, double slope) {
  Trial trial{.t = t, .promised = t * slope};
  const double l1 = options_.l1;
  if (l1 == 0.0) {
    reduce(0, [&](std::size_t begin, std::size_t end, double*) {
      for (std::size_t j = begin; j < end; ++j) trial_[j] = x_[j] + t * direction_[j];
    });
  } else {
    const auto sums = reduce(2, [&](std::size_t begin, std::size_t end, double* out) {
      double norm = 0.0;
      double promised = 0.0;
      for (std::size_t j = begin; j < end; ++j) {
        const double moved = x_[j] + t * direction_[j];
        trial_[j] = opposed(x_[j], moved) ? 0.0 : moved;  // stay in the orthant of x, or of d where x is 0
        norm += std::abs(trial_[j]);
        promised += pseudo_gradient(x_[j], gradient_[j], l1) * (trial_[j] - x_[j]);
      }
      out[0] = norm;
      out[1] = promised;
    });
    trial.value = l1 * sums[0];
    trial.promised = sums[1];
  }
  trial.value += f(trial_, trial_gradient_);
  ++evaluations_;
  if (l1 == 0.0) {
    trial.slope = reduce(1, [&](std::size_t begin, std::size_t end, double* out) {
      out[0] = dot(&direction_[begin], &trial_gradient_[begin], end - begin);
    })[0];
  }
  if (!std::isfinite(trial.value) || !std::isfinite(trial.slope)) trial.value = kInfinity;
  return trial;
}

// Sufficient decrease (Nocedal & Wright, eq. 3.6a). Near the optimum the difference
// of two values is only rounding; the slope then tells better that the step is not
// too long (Hager, Zhang, SIAM J. Optim. 2005, approximate Wolfe conditions).
bool Lbfgs::decreases(const Trial& trial, double slope) const {
  if (trial.value <= value_ + kDecrease * trial.promised) return true;
  return options_.l1 == 0.0 && trial.value <= value_ && trial.slope <= (2.0 * kDecrease - 1.0) * slope;
}

double Lbfgs::next_step(const Trial& low, const Trial& high, double slope) const {
  if (options_.l1 > 0.0) return 0.5 * high.t;
  // To where the slope, extrapolated linearly, is zero.
  const double flattening = std::max(slope / (slope - low.slope), 0.0);
  const double grown = low.t * (low.slope > slope ? std::clamp(flattening, 2.0, 10.0) : 10.0);
  if (high.t == kInfinity) return grown;
  const double width = high.t - low.t;
  if (high.value == kInfinity) return low.t > 0.0 ? std::min(grown, low.t + 0.5 * width) : 0.1 * width;
  // To the minimum of the parabola through both, if well inside.
  const double rise = high.value - low.value - low.slope * width;
  const double share = rise > 0.0 ? -0.5 * low.slope * width / rise : 0.5;
  return low.t + width * std::clamp(share, 0.1, 0.7);
}

// Moves to the point evaluated last. The new pair replaces the oldest.
void Lbfgs::move_to(const Trial& trial) {
  pairs_ = std::min(pairs_, options_.memory - 1);
  const std::size_t width = 3 + kPairProducts * static_cast<std::size_t>(pairs_ + 1);
  const auto sums = reduce(width, [&](std::size_t begin, std::size_t end, double* out) {
    std::array<double, kChunk> buffer{};
    const std::size_t size = end - begin;
    const double* x = &trial_[begin];
    float* s = &s_[next_ * n_ + begin];
    float* y = &y_[next_ * n_ + begin];
    for (std::size_t j = 0; j < size; ++j) {
      s[j] = static_cast<float>(x[j] - x_[begin + j]);
      y[j] = static_cast<float>(trial_gradient_[begin + j] - gradient_[begin + j]);
    }
    const double* g = steepest(trial_, trial_gradient_, begin, end, buffer);
    out[0] = dot(g, g, size);
    out[1] = dot(x, x, size);
    out[2] = dot(s, s, size);
    for (int age = 0; age <= pairs_; ++age) {
      const std::size_t at = slot(age) * n_ + begin;
      pair_products(&s_[at], &y_[at], y, g, size, out + 3 + kPairProducts * static_cast<std::size_t>(age));
    }
  });
  x_.swap(trial_);
  gradient_.swap(trial_gradient_);
  value_ = trial.value;
  gradient_norm_ = std::sqrt(sums[0]);
  x_norm_ = std::sqrt(sums[1]);
  keep_pair(sums.subspan(2));
}

// Keeps the pair in the next slot, unless rounding alone decides the sign of its
// curvature s.y. sums: s.s, then the products with pairs of age 0, 1...
void Lbfgs::keep_pair(std::span<const double> sums) {
  const auto memory = static_cast<std::size_t>(options_.memory);
  for (int age = 0; age <= pairs_; ++age) {
    const double* products = &sums[1 + kPairProducts * static_cast<std::size_t>(age)];
    const std::size_t i = slot(age);
    sy_[i * memory + next_] = products[0];
    yy_[i * memory + next_] = yy_[next_ * memory + i] = products[1];
    sg_[i] = products[2];
    yg_[i] = products[3];
  }
  const double lengths = std::sqrt(sums[0]) * std::sqrt(yy_[next_ * memory + next_]);
  const double curvature = sy_[next_ * memory + next_];
  if (!(curvature > std::numeric_limits<float>::epsilon() * lengths) || !std::isfinite(lengths)) return;
  next_ = (next_ + 1) % memory;
  ++pairs_;
}

// Index of the pair kept `age` iterations ago; 0 is the one to be written.
std::size_t Lbfgs::slot(int age) const {
  const auto memory = static_cast<std::size_t>(options_.memory);
  return (next_ + memory - static_cast<std::size_t>(age)) % memory;
}

// Calls body(begin, end, out) for every chunk of the variables; returns the sums of
// its `width` outputs, added in chunk order.
template <typename Body>
std::span<const double> Lbfgs::reduce(std::size_t width, const Body& body) {
  const std::size_t chunks = (n_ + kChunk - 1) / kChunk;
  workers_.each(chunks, [&](std::size_t c) {
    body(c * kChunk, std::min(n_, (c + 1) * kChunk), sums_.data() + (c + 1) * width);
  });
  std::fill_n(sums_.begin(), width, 0.0);
  for (std::size_t c = 1; c <= chunks; ++c) {
    for (std::size_t k = 0; k < width; ++k) sums_[k] += sums_[c * width + k];
  }
  return {sums_.data(), width};
}

// One chunk of the gradient or, with l1, of the pseudo-gradient, computed in
// `buffer`.
const double* Lbfgs::steepest(const std::vector<double>& x, const std::vector<double>& gradient,
                              std::size_t begin, std::size_t end, std::span<double> buffer) const {
  if (options_.l1 == 0.0) return &gradient[begin];
  for (std::size_t j = begin; j < end; ++j)
    buffer[j - begin] = pseudo_gradient(x[j], gradient[j], options_.l1);
  return buffer.data();
}

}  // namespace hinge
