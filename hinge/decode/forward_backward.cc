// Symbols: N_t(y) = exp(node - the highest of token t), E(i, j) = exp(edge - the
// highest of its matrix). With c_t chosen so that each row of alpha sums to one,
//
//   alpha_t(j)    = N_t(j) sum_i alpha_{t-1}(i) E(i, j) / c_t
//   x_t(j)        = N_t(j) beta_t(j) / c_t
//   beta_{t-1}(i) = sum_j E(i, j) x_t(j),             beta of the last token: 1
//   P(y at t)     = alpha_t(y) beta_t(y)
//   P(i, j at t)  = alpha_{t-1}(i) E(i, j) x_t(j)
//
// and log Z = sum_t log c_t + the highest scores taken out.
//
// Why floats suffice, and when. All terms are nonnegative, so rounding costs only
// relative accuracy; the other danger is underflow. N and E below e^-84 = 3e-37
// become zero (everything else underflows much later, being stored times 2^40).
// What alpha_t(y) loses by that is worth at most 3e-37 beta_t(y) / c_t of the mass
// of the whole chain. Hence, if
//
//   c_t >= 1e-11   and   beta_t(y) / c_t <= 1e22    for all t and y,
//
// no token loses more than labels * 1e-14. But a beta may be small because it has
// lost terms itself, at most labels * 1e-14 per step. This much is added to each
// beta, so that all are upper bounds and the check also covers sequences that
// are lost from both ends. The addition costs a token no more than that again.
//
// If edge scores differ by at most 25, both hold for any nodes: every label
// follows every other with a factor of at least e^-25, so c_t >= e^-25, and the
// betas of a token, 1 on average, differ by at most a factor e^25. With forbidden
// or wider edges they usually hold. The passes check them and fall back to log space.
#include "hinge/decode/forward_backward.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/forward_backward.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Rows are padded to 16 floats, so no vector may be longer.
using Floats = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Floats>;
using Mask = hn::Mask<Floats>;

HWY_INLINE Mask real_labels(std::size_t labels, std::size_t j) {
  return hn::FirstN(Floats(), labels > j ? labels - j : 0);
}

HWY_INLINE float highest(const float* rows, std::size_t count, std::size_t labels, std::size_t stride) {
  const Floats d;
  const Vector lowest = hn::Set(d, std::numeric_limits<float>::lowest());
  Vector high = lowest;
  for (std::size_t j = 0; j < stride; j += hn::Lanes(d)) {
    const Mask real = real_labels(labels, j);
    Vector column = lowest;
    for (std::size_t i = 0; i < count; ++i) column = hn::Max(column, hn::LoadU(d, rows + i * stride + j));
    high = hn::Max(high, hn::IfThenElse(real, column, lowest));
  }
  return hn::GetLane(hn::MaxOfLanes(d, high));
}

// The limits derived above. Rows of N and alpha are stored times kLift, which keeps
// their products well above the least float.
constexpr float kLift = 0x1.0p40f;
constexpr float kMaxInverse = 1e11f;
constexpr float kMaxBeta = 1e22f;

HWY_INLINE float least_beta(const ChainScores& s) { return 1e-14f * static_cast<float>(s.labels); }

// e^x for x <= 0, zero below e^-84: operations on denormal floats can be a
// hundred times slower.
template <class D>
HWY_INLINE hn::Vec<D> exp_or_zero(D d, hn::Vec<D> x) {
  const hn::Vec<D> least = hn::Set(d, -84.0f);
  return hn::IfThenElseZero(hn::Ge(x, least), hn::Exp(d, hn::Max(x, least)));
}

// out = scale * exp(rows - their highest), zero in the padding; returns the highest.
HWY_INLINE float exponentials(const float* rows, std::size_t count, std::size_t labels, std::size_t stride,
                              float scale, float* out) {
  const Floats d;
  const float high = highest(rows, count, labels, stride);
  const Vector shift = hn::Set(d, high);
  for (std::size_t j = 0; j < stride; j += hn::Lanes(d)) {
    const Vector factor = hn::IfThenElseZero(real_labels(labels, j), hn::Set(d, scale));
    for (std::size_t i = 0; i < count; ++i) {
      const Vector x = hn::Min(hn::Sub(hn::LoadU(d, rows + i * stride + j), shift), hn::Zero(d));
      hn::Store(hn::Mul(factor, exp_or_zero(d, x)), d, out + i * stride + j);
    }
  }
  return high;
}

// finish(j, start + sum_i x[i] * matrix[i][j ...]) for kVectors vectors of j kept
// in registers over the whole loop. Rows alternate between kWays independent sums,
// which hides the latency of additions.
template <std::size_t kVectors, class Finish>
HWY_INLINE void multiply_block(const float* x, const float* matrix, std::size_t labels, std::size_t stride,
                               std::size_t j, float start, const Finish& finish) {
  constexpr std::size_t kWays = 8 / kVectors;
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  Vector sum[kWays][kVectors];
  for (std::size_t way = 0; way < kWays; ++way)
    for (std::size_t v = 0; v < kVectors; ++v) sum[way][v] = hn::Set(d, way == 0 ? start : 0.0f);
  const auto add_row = [&](std::size_t i, Vector* sums) HWY_ATTR {
    const Vector factor = hn::Set(d, x[i]);
    const float* row = matrix + i * stride + j;
    for (std::size_t v = 0; v < kVectors; ++v) {
      sums[v] = hn::MulAdd(factor, hn::Load(d, row + v * lanes), sums[v]);
    }
  };
  std::size_t i = 0;
  for (; i + kWays <= labels; i += kWays)
    for (std::size_t way = 0; way < kWays; ++way) add_row(i + way, sum[way]);
  for (; i < labels; ++i) add_row(i, sum[0]);
  for (std::size_t way = 1; way < kWays; ++way)
    for (std::size_t v = 0; v < kVectors; ++v) sum[0][v] = hn::Add(sum[0][v], sum[way][v]);
  for (std::size_t v = 0; v < kVectors; ++v) finish(j + v * lanes, sum[0][v]);
}

template <class Finish>
HWY_INLINE void multiply(const float* x, const float* matrix, const ChainScores& s, float start,
                         const Finish& finish) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t j = 0;
  for (; j + 4 * lanes <= s.stride; j += 4 * lanes) {
    multiply_block<4>(x, matrix, s.labels, s.stride, j, start, finish);
  }
  for (; j + 2 * lanes <= s.stride; j += 2 * lanes) {
    multiply_block<2>(x, matrix, s.labels, s.stride, j, start, finish);
  }
  for (; j < s.stride; j += lanes) multiply_block<1>(x, matrix, s.labels, s.stride, j, start, finish);
}

// The log of a product of many positive numbers, with few logarithms.
class LogProduct {
 public:
  void multiply(double x) {
    product_ *= x;
    if (product_ > 1e200 || product_ < 1e-200) {
      log_ += std::log(product_);
      product_ = 1.0;
    }
  }
  double log() const { return log_ + std::log(product_); }

 private:
  double product_ = 1.0;
  double log_ = 0.0;
};

std::size_t matrix_step(const ChainScores& s) { return s.edge_step == 0 ? 0 : s.labels * s.stride; }

// Fills `factor` and `edge`; returns the sum of the highest scores taken out.
double exponentials_of_chain(const ChainScores& s, ChainSums& sums) {
  double shift = 0.0;
  for (std::size_t t = 0; t < s.tokens; ++t) {
    const std::size_t row = t * s.stride;
    shift += exponentials(s.node + row, 1, s.labels, s.stride, kLift, sums.factor.data() + row);
  }
  if (s.tokens < 2) return shift;
  if (s.edge_step == 0) {
    const float high = exponentials(s.edge, s.labels, s.labels, s.stride, 1.0f, sums.edge.data());
    return shift + static_cast<double>(high) * static_cast<double>(s.tokens - 1);
  }
  for (std::size_t t = 1; t < s.tokens; ++t) {
    float* edge = sums.edge.data() + t * matrix_step(s);
    shift += exponentials(s.edges_into(t), s.labels, s.labels, s.stride, 1.0f, edge);
  }
  return shift;
}

// Rows of `forward` are alpha_t c_t kLift: the division is applied in the next step,
// so that no product waits for it. False if a c_t is too small.
bool forward_pass(const ChainScores& s, ChainSums& sums, double& log_sum) {
  const Floats d;
  const Vector one = hn::Set(d, 1.0f);
  LogProduct inverses;
  Vector inverse = one;
  for (std::size_t t = 0; t < s.tokens; ++t) {
    const float* factor = sums.factor.data() + t * s.stride;
    float* next = sums.forward.data() + t * s.stride;
    Vector total = hn::Zero(d);
    const auto finish = [&](std::size_t j, Vector reached) HWY_ATTR {
      const Vector row = hn::Mul(reached, hn::Mul(inverse, hn::Load(d, factor + j)));
      hn::Store(row, d, next + j);
      total = hn::Add(total, row);
    };
    if (t == 0) {
      for (std::size_t j = 0; j < s.stride; j += hn::Lanes(d)) finish(j, one);
    } else {
      multiply(next - s.stride, sums.edge.data() + t * matrix_step(s), s, 0.0f, finish);
    }
    inverse = hn::Div(one, hn::SumOfLanes(d, total));
    const float scale = hn::GetLane(inverse);
    if (!(scale <= kMaxInverse / kLift)) return false;
    sums.inverse.data()[t] = scale;
    inverses.multiply(static_cast<double>(scale) * kLift);
  }
  log_sum = -inverses.log();
  return true;
}

// Checks made in the backward pass.
struct Watch {
  Mask too_large;  // lanes that had a beta too large
  Vector mass;     // of the current token, by lane
};

// Finishes token t from its beta: divides alpha, writes the probabilities of its
// labels, and overwrites the factors N_t with x_t. `correction` is from token t + 1.
class TokenEnd {
 public:
  HWY_INLINE TokenEnd(const ChainScores& s, ChainSums& sums, std::size_t t, Vector correction, Watch& watch)
      : factor_(sums.factor.data() + t * s.stride),
        forward_(sums.forward.data() + t * s.stride),
        nodes_(sums.nodes.data() + t * s.stride),
        inverse_(hn::Set(Floats(), sums.inverse.data()[t])),
        correction_(correction),
        watch_(watch) {
    watch_.mass = hn::Zero(Floats());
  }

  HWY_INLINE void operator()(std::size_t j, Vector sum) const {
    const Floats d;
    const Vector beta = hn::Mul(sum, correction_);
    const Vector lifted = hn::Mul(inverse_, hn::Set(d, kLift));
    // Not "greater than", so that NaN counts as too large.
    const Mask fits = hn::Le(hn::Mul(beta, lifted), hn::Set(d, kMaxBeta));
    watch_.too_large = hn::Or(watch_.too_large, hn::Not(fits));
    const Vector forward = hn::Load(d, forward_ + j);
    const Vector node = divided(hn::Mul(forward, beta));
    watch_.mass = hn::Add(watch_.mass, node);
    hn::Store(node, d, nodes_ + j);
    hn::Store(divided(hn::Mul(hn::Load(d, factor_ + j), beta)), d, factor_ + j);
    hn::Store(hn::Mul(forward, lifted), d, forward_ + j);
  }

 private:
  // Divides by c_t and kLift; zero if the result would be near the least float.
  HWY_INLINE Vector divided(Vector x) const {
    const Mask large = hn::Ge(x, hn::Set(Floats(), 1e-36f * kLift));
    return hn::Mul(hn::IfThenElseZero(large, x), inverse_);
  }

  float* factor_;
  float* forward_;
  float* nodes_;
  Vector inverse_;
  Vector correction_;
  Watch& watch_;
};

void transpose(const float* matrix, std::size_t labels, std::size_t stride, float* out) {
  for (std::size_t j = 0; j < labels; ++j) {
    float* row = out + j * stride;
    for (std::size_t i = 0; i < labels; ++i) row[i] = matrix[i * stride + j];
    std::fill(row + labels, row + stride, 0.0f);
  }
}

// beta_{t-1} and the pairs of the step into t, row by row: transposing does not pay
// for a matrix used in one step only. alpha_{t-1} is not divided yet.
void step_back(const ChainScores& s, ChainSums& sums, std::size_t t, float* beta) {
  const Floats d;
  const float* edge = sums.edge.data() + t * matrix_step(s);
  const float* x = sums.factor.data() + t * s.stride;
  const float* previous = sums.forward.data() + (t - 1) * s.stride;
  const float inverse = sums.inverse.data()[t - 1];
  float* pairs = sums.edges.data() + t * s.labels * s.labels;
  for (std::size_t i = 0; i < s.labels; ++i) {
    const Vector alpha = hn::Set(d, previous[i] * inverse);
    Vector total = hn::Zero(d);
    for (std::size_t j = 0; j < s.labels; j += hn::Lanes(d)) {
      const Vector onward = hn::Mul(hn::Load(d, edge + i * s.stride + j), hn::Load(d, x + j));
      total = hn::Add(total, onward);
      hn::BlendedStore(hn::Mul(alpha, onward), real_labels(s.labels, j), d, pairs + i * s.labels + j);
    }
    beta[i] = hn::GetLane(hn::SumOfLanes(d, total)) + least_beta(s);
  }
  std::fill(beta + s.labels, beta + s.stride, 0.0f);
}

// False if a beta is too large. The mass of a token is one up to rounding; each
// beta is corrected by the mass of the next token, or errors would add up.
bool backward_pass(const ChainScores& s, ChainSums& sums) {
  const Floats d;
  const Vector one = hn::Set(d, 1.0f);
  Watch watch{hn::FirstN(d, 0), hn::Zero(d)};
  const TokenEnd last(s, sums, s.tokens - 1, one, watch);
  for (std::size_t j = 0; j < s.stride; j += hn::Lanes(d)) last(j, one);
  float* turned = sums.turned.data();
  if (s.edge_step == 0 && s.tokens > 1) transpose(sums.edge.data(), s.labels, s.stride, turned);
  for (std::size_t t = s.tokens - 1; t > 0; --t) {
    const Vector correction = hn::Sub(hn::Set(d, 2.0f), hn::SumOfLanes(d, watch.mass));  // ~ 1 / mass
    const TokenEnd end(s, sums, t - 1, correction, watch);
    if (s.edge_step == 0) {
      multiply(sums.factor.data() + t * s.stride, turned, s, least_beta(s), end);
    } else {
      step_back(s, sums, t, turned);
      for (std::size_t j = 0; j < s.stride; j += hn::Lanes(d)) end(j, hn::Load(d, turned + j));
    }
  }
  return hn::AllFalse(d, watch.too_large);
}

// sum[r][v] = sum_t alpha_{t-1}(i + r) x_t(j ...) for t in [begin, end), with kRows
// by kVectors sums in registers.
template <std::size_t kRows, std::size_t kVectors>
HWY_INLINE void outer_products(const ChainScores& s, ChainSums& sums, std::size_t i, std::size_t j,
                               std::size_t begin, std::size_t end, Vector (&sum)[kRows][kVectors]) {
  const Floats d;
  const Vector start = hn::Set(d, 1e-30f * kLift);  // negligible, but keeps sums from the least float
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] = start;
  for (std::size_t t = begin; t < end; ++t) {
    const float* alpha = sums.forward.data() + (t - 1) * s.stride + i;
    const float* x = sums.factor.data() + t * s.stride + j;
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v) {
        sum[r][v] = hn::MulAdd(hn::Set(d, alpha[r]), hn::Load(d, x + v * hn::Lanes(d)), sum[r][v]);
      }
  }
}

// The same over all tokens, times E: the pair sums. Long chains are summed in
// pieces, so that small terms are not lost in the rounding of large sums.
template <std::size_t kRows, std::size_t kVectors>
HWY_INLINE void pair_block(const ChainScores& s, ChainSums& sums, std::size_t i, std::size_t j) {
  constexpr std::size_t kPiece = 256;
  const Floats d;
  Vector total[kRows][kVectors];
  outer_products(s, sums, i, j, 1, std::min(s.tokens, kPiece), total);
  for (std::size_t begin = kPiece; begin < s.tokens; begin += kPiece) {
    Vector piece[kRows][kVectors];
    outer_products(s, sums, i, j, begin, std::min(s.tokens, begin + kPiece), piece);
    for (std::size_t r = 0; r < kRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v) total[r][v] = hn::Add(total[r][v], piece[r][v]);
  }
  for (std::size_t r = 0; r < kRows; ++r)
    for (std::size_t v = 0; v < kVectors; ++v) {
      const std::size_t column = j + v * hn::Lanes(d);
      const Vector edge = hn::Load(d, sums.edge.data() + (i + r) * s.stride + column);
      const Vector pairs = hn::Mul(hn::Mul(total[r][v], edge), hn::Set(d, 1.0f / kLift));
      hn::BlendedStore(pairs, real_labels(s.labels, column), d,
                       sums.edges.data() + (i + r) * s.labels + column);
    }
}

template <std::size_t kRows>
HWY_INLINE void pair_rows(const ChainScores& s, ChainSums& sums, std::size_t i) {
  const std::size_t lanes = hn::Lanes(Floats());
  std::size_t j = 0;
  for (; j + lanes < s.labels; j += 2 * lanes) pair_block<kRows, 2>(s, sums, i, j);
  if (j < s.labels) pair_block<kRows, 1>(s, sums, i, j);
}

void sum_pairs(const ChainScores& s, ChainSums& sums) {
  constexpr std::size_t kRows = 4;
  if (s.labels < kRows) {
    for (std::size_t i = 0; i < s.labels; ++i) pair_rows<1>(s, sums, i);
    return;
  }
  // The last rows may be computed twice.
  for (std::size_t i = 0; i < s.labels; i += kRows) pair_rows<kRows>(s, sums, std::min(i, s.labels - kRows));
}

// False if the sums are not accurate.
bool scaled_sums(const ChainScores& s, ChainSums& sums, double& log_z) {
  const double shift = exponentials_of_chain(s, sums);
  if (!forward_pass(s, sums, log_z) || !backward_pass(s, sums)) return false;
  log_z += shift;
  if (s.edge_step == 0 && s.tokens > 1) sum_pairs(s, sums);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(scaled_sums);

}  // namespace

// Resizes the results and zeroes the edges that no pass writes.
void ForwardBackward::prepare(const ChainScores& s) {
  const std::size_t pairs = s.labels * s.labels;
  nodes_ = s.tokens * s.stride;
  edges_ = s.edge_step == 0 ? pairs : s.tokens * pairs;
  sums_.nodes.reserve(nodes_);
  sums_.edges.reserve(edges_ + s.stride);  // a masked store may touch what follows, without changing it
  sums_.turned.reserve(s.labels * s.stride);
  std::fill_n(sums_.edges.data(), std::min(edges_, pairs), 0.0f);
}

double ForwardBackward::run(const ChainScores& s) {
  prepare(s);
  scaled_ = true;
  if (s.tokens == 0) return 0.0;
  sums_.factor.reserve(nodes_);
  sums_.forward.reserve(nodes_);
  sums_.inverse.reserve(s.tokens);
  sums_.edge.reserve((s.edge_step == 0 ? 1 : s.tokens) * s.labels * s.stride);
  double log_z = 0.0;
  if (HWY_DYNAMIC_DISPATCH(scaled_sums)(s, sums_, log_z)) return log_z;
  return run_in_logs(s);
}

}  // namespace hinge
#endif
