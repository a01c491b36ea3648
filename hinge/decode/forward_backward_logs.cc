// Forward-backward in log space, for chains whose probabilities underflow.
//
// Prefix scores are doubles: a prefix 1e4 below the best may be the only one that
// can continue, and a float would round it by 1e-3. Exponentials are taken of
// differences to the highest term, so floats suffice there.
#include "hinge/decode/forward_backward.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/forward_backward_logs.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Singles = hn::Rebind<float, Doubles>;

// Zero below e^-80: operations on denormal floats can be a hundred times slower.
constexpr float kLeast = -80.0f;

// exp(prefix + edge - high), which must be at most one.
HWY_INLINE hn::Vec<Singles> exp_below(hn::Vec<Doubles> prefix, const float* edge, hn::Vec<Doubles> high) {
  const Doubles dd;
  const Singles ds;
  const hn::Vec<Doubles> score = hn::Add(prefix, hn::PromoteTo(dd, hn::LoadU(ds, edge)));
  const hn::Vec<Doubles> difference = hn::Max(hn::Sub(score, high), hn::Set(dd, kLeast));
  const hn::Vec<Singles> x = hn::DemoteTo(ds, difference);
  return hn::IfThenElseZero(hn::Gt(x, hn::Set(ds, kLeast)), hn::Exp(ds, x));
}

// next[j] = log sum_i exp(previous[i] + edge[i][j])
void log_step(const ChainScores& s, const double* previous, const float* edge, double* high, float* share,
              double* next) {
  const Doubles dd;
  const Singles ds;
  for (std::size_t j = 0; j < s.labels; j += hn::Lanes(dd)) {
    hn::Vec<Doubles> top = hn::Set(dd, std::numeric_limits<double>::lowest());
    for (std::size_t i = 0; i < s.labels; ++i) {
      const hn::Vec<Doubles> score = hn::PromoteTo(dd, hn::LoadU(ds, edge + i * s.stride + j));
      top = hn::Max(top, hn::Add(hn::Set(dd, previous[i]), score));
    }
    hn::Vec<Singles> sum = hn::Zero(ds);
    for (std::size_t i = 0; i < s.labels; ++i) {
      sum = hn::Add(sum, exp_below(hn::Set(dd, previous[i]), edge + i * s.stride + j, top));
    }
    hn::Store(top, dd, high + j);
    hn::Store(hn::Div(hn::Set(ds, 1.0f), sum), ds, share + j);
    hn::Store(hn::Add(top, hn::Log(dd, hn::PromoteTo(dd, sum))), dd, next + j);
  }
}

// Adds the nodes of a token to a row of prefixes and shifts its highest to zero,
// so that scores of long chains lose no digits; returns the shift.
double add_nodes(const float* node, std::size_t labels, double* row) {
  const double node_high = *std::max_element(node, node + labels);
  for (std::size_t y = 0; y < labels; ++y) row[y] += node[y] - node_high;
  const double high = *std::max_element(row, row + labels);
  for (std::size_t y = 0; y < labels; ++y) row[y] -= high;
  return node_high + high;
}

// The probabilities of the last token's labels; returns the log of their sum before normalizing.
double finish_logs(const double* prefix, std::size_t labels, float* nodes) {
  double sum = 0.0;
  for (std::size_t y = 0; y < labels; ++y) sum += std::exp(prefix[y]);
  for (std::size_t y = 0; y < labels; ++y) nodes[y] = static_cast<float>(std::exp(prefix[y]) / sum);
  return std::log(sum);
}

// P(i at t - 1) = sum_j P(j at t) P(i before j), the latter from the forward
// pass. Everything here is a probability, so nothing can overflow.
void log_step_back(const ChainScores& s, ChainSums& sums, std::size_t t, float* pairs) {
  const Doubles dd;
  const Singles ds;
  const std::size_t row = t * s.stride;
  const double* previous = sums.prefix.data() + row - s.stride;
  float* before = sums.nodes.data() + row - s.stride;
  float* x = sums.share.data() + row;
  for (std::size_t j = 0; j < s.stride; ++j) x[j] *= sums.nodes.data()[row + j];
  double all = 0.0;
  for (std::size_t i = 0; i < s.labels; ++i) {
    const float* edge = s.edges_into(t) + i * s.stride;
    hn::Vec<Singles> total = hn::Zero(ds);
    for (std::size_t j = 0; j < s.labels; j += hn::Lanes(dd)) {
      const hn::Vec<Doubles> high = hn::Load(dd, sums.highest.data() + row + j);
      const auto pair = hn::Mul(hn::Load(ds, x + j), exp_below(hn::Set(dd, previous[i]), edge + j, high));
      total = hn::Add(total, pair);
      float* out = pairs + i * s.stride + j;
      hn::Store(hn::Add(pair, hn::Load(ds, out)), ds, out);
    }
    before[i] = hn::GetLane(hn::SumOfLanes(ds, total));
    all += before[i];
  }
  for (std::size_t i = 0; i < s.labels; ++i) before[i] = static_cast<float>(before[i] / all);
}

// Adds padded pairs to dense ones, then zeroes the padded pairs.
void move_pairs(std::size_t labels, std::size_t stride, float* pairs, float* out) {
  for (std::size_t i = 0; i < labels; ++i)
    for (std::size_t j = 0; j < labels; ++j) out[i * labels + j] += pairs[i * stride + j];
  std::fill_n(pairs, labels * stride, 0.0f);
}

void log_backward(const ChainScores& s, ChainSums& sums) {
  const std::size_t square = s.labels * s.labels;
  float* pairs = sums.turned.data();
  float* edges = sums.edges.data();
  std::fill_n(pairs, s.labels * s.stride, 0.0f);
  std::fill_n(edges, s.edge_step == 0 ? square : s.tokens * square, 0.0f);
  for (std::size_t t = s.tokens - 1; t > 0; --t) {
    log_step_back(s, sums, t, pairs);
    if (s.edge_step != 0) move_pairs(s.labels, s.stride, pairs, edges + t * square);
    // Sums in pieces, so that small terms are not lost in the rounding of large sums.
    if (s.edge_step == 0 && t % 256 == 1) move_pairs(s.labels, s.stride, pairs, edges);
  }
}

double log_sums(const ChainScores& s, ChainSums& sums) {
  double log_z = 0.0;
  std::fill_n(sums.prefix.data(), s.stride, 0.0);
  for (std::size_t t = 0; t < s.tokens; ++t) {
    const std::size_t row = t * s.stride;
    double* prefix = sums.prefix.data() + row;
    if (t > 0) {
      log_step(s, prefix - s.stride, s.edges_into(t), sums.highest.data() + row, sums.share.data() + row,
               prefix);
    }
    log_z += add_nodes(s.node + row, s.labels, prefix);
  }
  const std::size_t last = (s.tokens - 1) * s.stride;
  std::fill_n(sums.nodes.data(), s.tokens * s.stride, 0.0f);
  log_z += finish_logs(sums.prefix.data() + last, s.labels, sums.nodes.data() + last);
  log_backward(s, sums);
  return log_z;
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(log_sums);

}  // namespace

double ForwardBackward::run_in_logs(const ChainScores& s) {
  prepare(s);
  scaled_ = false;
  if (s.tokens == 0) return 0.0;
  sums_.prefix.reserve(nodes_);
  sums_.highest.reserve(nodes_);
  sums_.share.reserve(nodes_);
  return HWY_DYNAMIC_DISPATCH(log_sums)(s, sums_);
}

}  // namespace hinge
#endif
