// By the theorem, the total is a determinant. It is computed by eliminating one word
// after the other, written in terms of trees. Let A(h, m) be the factor of an arc, and
// D = sum_h A(h, v) for some word v. Then
//
//   Z(A) = D Z(A'),   A'(h, m) = A(h, m) + A(h, v) A(v, m) / D   for h, m other than v
//
// where A' belongs to the sentence without v: a path through v has become one arc.
// Diagonals are never used and nothing is subtracted, so all numbers keep their relative
// accuracy, however ill-conditioned the matrix (Grassmann, Taksar, Heyman, Operations
// Research 1985, for Markov chains), and the method also works in log space.
//
// One root child: the total is then the part of Z that is linear in the arcs from the
// root, so these count only in the D of the word eliminated last. Koo et al. get the
// same from a Laplacian with one row replaced.
//
// Marginals: P(arc) = A(arc) G(arc), where G is the gradient of log Z, by the chain rule
// through the above. With q(h) = A(h, v) / D and G' for the sentence without v,
//
//   G(v, m) = sum_h q(h) G'(h, m)
//   G(h, v) = (1 + T(h) - sum_h' q(h') T(h')) / D,   T(h) = sum_m G'(h, m) A(v, m)
//
// or T(h) / D if the arc does not count in D. The sum subtracted is the expected
// number of children of v.
//
// In probability space, factors below kLeast are raised to it, which keeps all numbers
// far from overflow and underflow. The results are correct if the raised arcs have
// almost no probability, which is checked at the end.
#include "hinge/decode/matrix_tree.h"

#include "hinge/core/interrupt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "hinge/decode/matrix_tree.cc"
#include <hwy/foreach_target.h>
// After foreach_target:
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hinge {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Doubles>;

// When v is eliminated, h and m below v remain. The columns of their rows from v on
// are no longer needed and may hold anything.
void eliminate(Elimination& e) {
  const Doubles d;
  for (std::size_t v = e.words; v > 0; --v) {
    check_interrupt();
    const double* out_of_v = e.arcs.data() + v * e.stride;
    double* share = e.share.data() + v * e.stride;
    const bool root_counts = !e.single_root || v == 1;
    double total = 0.0;
    for (std::size_t h = 0; h < v; ++h) {
      share[h] = e.arcs.data()[h * e.stride + v];
      if (h > 0 || root_counts) total += share[h];
    }
    e.total[v] = total;
    const double inverse = 1.0 / total;
    for (std::size_t h = 0; h < v; ++h) {
      share[h] *= inverse;
      double* row = e.arcs.data() + h * e.stride;
      const Vector q = hn::Set(d, share[h]);
      for (std::size_t m = 0; m < v; m += hn::Lanes(d)) {
        hn::Store(hn::MulAdd(q, hn::Load(d, out_of_v + m), hn::Load(d, row + m)), d, row + m);
      }
    }
  }
}

// Adds the gradients of arcs into and out of v. Those of all arcs among numbers below
// v are known; they are zero in the columns from v on and where no arc exists.
void add_gradients(Elimination& e, std::size_t v) {
  const Doubles d;
  const double* share = e.share.data() + v * e.stride;
  double* out_of_v = e.arcs.data() + v * e.stride;
  double* gradient = e.gradient.data();
  out_of_v[0] = 0.0;
  std::fill(out_of_v + v, out_of_v + e.stride, 0.0);
  double children = 0.0;
  for (std::size_t h = 0; h < v; ++h) {
    const double* row = gradient + h * e.stride;
    double* sum = gradient + v * e.stride;
    const Vector q = hn::Set(d, share[h]);
    Vector through_v = hn::Zero(d);
    for (std::size_t m = 0; m < v; m += hn::Lanes(d)) {
      const Vector g = hn::Load(d, row + m);
      through_v = hn::MulAdd(g, hn::Load(d, out_of_v + m), through_v);
      hn::Store(hn::MulAdd(q, g, hn::Load(d, sum + m)), d, sum + m);
    }
    e.kept[h] = hn::GetLane(hn::SumOfLanes(d, through_v));
    children += share[h] * e.kept[h];
  }
  const double inverse = 1.0 / e.total[v];
  for (std::size_t h = 0; h < v; ++h) {
    const bool counts = h > 0 || !e.single_root || v == 1;
    // Rounding may give a negative number.
    const double change = counts ? std::max(1.0 - children + e.kept[h], 0.0) : e.kept[h];
    gradient[h * e.stride + v] = change * inverse;
  }
}

void differentiate(Elimination& e) {
  std::fill_n(e.gradient.data(), (e.words + 1) * e.stride, 0.0);
  for (std::size_t v = 1; v <= e.words; ++v) {
    check_interrupt();
    add_gradients(e, v);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace hinge
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hinge {
namespace {

HWY_EXPORT(eliminate);
HWY_EXPORT(differentiate);

constexpr double kLogOfLeast = -230.0;  // e^-230 = 1e-100
constexpr double kLeast = 2e-100;       // anything below has been raised
constexpr double kMaxRaised = 1e-9;
constexpr double kLeastMarginal = 1e-30;  // anything below becomes zero

}  // namespace

// The word `last` gets the number 1.
void MatrixTree::prepare(const ArcScores& s, std::size_t last) {
  Elimination& e = elimination_;
  e.words = s.words;
  e.single_root = s.single_root;
  e.stride = ((s.words + 8) / 8 | 1) * 8;
  e.order.resize(s.words + 1);
  for (std::size_t i = 0; i <= s.words; ++i) e.order[i] = static_cast<HeadId>(i);
  std::swap(e.order[1], e.order[last]);
  for (auto* table : {&e.arcs, &e.share, &e.gradient}) table->reserve((s.words + 1) * e.stride);
  e.total.resize(s.words + 1);
  e.kept.resize(e.stride);
}

// Fills e.arcs; returns what is taken out of the score of every tree. With exactly one
// root child, a common factor on all arcs from the root can also be taken out.
double MatrixTree::take_factors(const ArcScores& s) {
  factors_.fill(s, s.single_root ? 1 : 0, kLogOfLeast);
  std::size_t last = 1;
  if (s.single_root) {
    const auto gain = [&](std::size_t m) { return s(0, m) - factors_.highest(m); };
    for (std::size_t m = 2; m <= s.words; ++m)
      if (gain(m) > gain(last)) last = m;
    factors_.row(0)[0] = 0.0;
    for (std::size_t m = 1; m <= s.words; ++m) {
      factors_.row(0)[m] = std::exp(std::max(gain(m) - gain(last), kLogOfLeast));
    }
  }
  // s(0, last) is gain + highest of `last`. Adding these two would lose all digits if
  // `last` has no head but the root.
  double taken = s.single_root ? s(0, last) : factors_.highest(last);
  for (std::size_t m = 1; m <= s.words; ++m)
    if (m != last) taken += factors_.highest(m);
  prepare(s, last);
  Elimination& e = elimination_;
  for (std::size_t i = 0; i <= s.words; ++i) {
    double* row = e.arcs.data() + i * e.stride;
    const double* from = factors_.row(e.order[i]);
    std::copy_n(from, s.words + 1, row);
    std::swap(row[1], row[last]);
    std::fill(row + s.words + 1, row + e.stride, 0.0);
  }
  return taken;
}

// False if the marginals are not accurate.
bool MatrixTree::read_marginals(const ArcScores& s) {
  const Elimination& e = elimination_;
  std::fill(marginals_.begin(), marginals_.end(), 0.0f);
  double raised = 0.0;
  for (std::size_t i = 0; i <= s.words; ++i) {
    const double* gradient = e.gradient.data() + i * e.stride;
    const double* factor = factors_.row(e.order[i]);
    float* row = marginals_.data() + e.order[i] * s.stride;
    for (std::size_t j = 1; j <= s.words; ++j) {
      if (i == j) continue;
      const std::size_t m = e.order[j];
      const double p = factor[m] * gradient[j];
      if (factor[m] < kLeast) {
        raised += p;
      } else if (!(p < kLeastMarginal)) {
        row[m] = static_cast<float>(std::min(p, 1.0));
        if (!(p < 2.0)) raised = std::numeric_limits<double>::infinity();
      }
    }
  }
  return raised <= kMaxRaised;
}

double MatrixTree::run(const ArcScores& s) {
  marginals_.resize((s.words + 1) * s.stride);
  scaled_ = true;
  if (s.words == 0) {
    std::fill(marginals_.begin(), marginals_.end(), 0.0f);
    return 0.0;
  }
  double log_z = take_factors(s);
  HWY_DYNAMIC_DISPATCH(eliminate)(elimination_);
  HWY_DYNAMIC_DISPATCH(differentiate)(elimination_);
  if (!read_marginals(s)) return run_in_logs(s);
  for (std::size_t v = 1; v <= s.words; ++v) log_z += std::log(elimination_.total[v]);
  return log_z;
}

}  // namespace hinge
#endif
