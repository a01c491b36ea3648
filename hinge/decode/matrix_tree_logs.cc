// The matrix-tree theorem in log space, for sentences whose probabilities underflow:
// the same elimination as in matrix_tree.cc, with logs in all tables.
#include "hinge/core/interrupt.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hinge/decode/matrix_tree.h"

namespace hinge {
namespace {

constexpr double kLowest = -std::numeric_limits<double>::infinity();

double log_add(double a, double b) {
  const double high = std::max(a, b);
  if (high == kLowest) return kLowest;
  return high + std::log1p(std::exp(std::min(a, b) - high));
}

// log sum_i exp(term(i)) for i in [begin, end)
template <typename Term>
double log_sum(std::size_t begin, std::size_t end, const Term& term) {
  double high = kLowest;
  for (std::size_t i = begin; i < end; ++i) high = std::max(high, term(i));
  if (high == kLowest) return kLowest;
  double sum = 0.0;
  for (std::size_t i = begin; i < end; ++i) sum += std::exp(term(i) - high);
  return high + std::log(sum);
}

bool root_counts(const Elimination& e, std::size_t v) { return !e.single_root || v == 1; }

void eliminate(Elimination& e) {
  double* arcs = e.arcs.data();
  for (std::size_t v = e.words; v > 0; --v) {
    check_interrupt();
    const double* out_of_v = arcs + v * e.stride;
    double* share = e.share.data() + v * e.stride;
    for (std::size_t h = 0; h < v; ++h) share[h] = arcs[h * e.stride + v];
    e.total[v] = log_sum(root_counts(e, v) ? 0 : 1, v, [&](std::size_t h) { return share[h]; });
    for (std::size_t h = 0; h < v; ++h) {
      share[h] -= e.total[v];
      double* row = arcs + h * e.stride;
      for (std::size_t m = 1; m < v; ++m) {
        if (m != h) row[m] = log_add(row[m], share[h] + out_of_v[m]);
      }
    }
  }
}

// log(1 - children + exp(log_through))
double log_of_change(double children, double log_through) {
  constexpr double kRounding = 1e-18;  // used if rounding leaves zero or less
  if (log_through > 50.0) return log_through + std::log1p((1.0 - children) * std::exp(-log_through));
  return std::log(std::max(1.0 - children + std::exp(log_through), kRounding));
}

void add_gradients(Elimination& e, std::size_t v) {
  const double* share = e.share.data() + v * e.stride;
  const double* out_of_v = e.arcs.data() + v * e.stride;
  double* gradient = e.gradient.data();
  double children = 0.0;
  for (std::size_t h = 0; h < v; ++h) {
    const double* row = gradient + h * e.stride;
    e.kept[h] = log_sum(1, v, [&](std::size_t m) { return row[m] + out_of_v[m]; });
    children += std::exp(share[h] + e.kept[h]);
  }
  // More is a rounding error, of scores so large that no digits are left for differences.
  children = std::min(children, static_cast<double>(e.words));
  for (std::size_t m = 1; m < v; ++m) {
    gradient[v * e.stride + m] =
        log_sum(0, v, [&](std::size_t h) { return share[h] + gradient[h * e.stride + m]; });
  }
  for (std::size_t h = 0; h < v; ++h) {
    const bool counts = h > 0 || root_counts(e, v);
    const double change = counts ? log_of_change(children, e.kept[h]) : e.kept[h];
    gradient[h * e.stride + v] = change - e.total[v];
  }
}

// Makes the probabilities of each word's heads sum to one in spite of rounding.
void normalize(const ArcScores& s, std::span<float> marginals) {
  for (std::size_t m = 1; m <= s.words; ++m) {
    double sum = 0.0;
    for (std::size_t h = 0; h <= s.words; ++h) sum += marginals[h * s.stride + m];
    for (std::size_t h = 0; h <= s.words; ++h) {
      float& p = marginals[h * s.stride + m];
      if (h == m) continue;
      p = static_cast<float>(sum > 0.0 ? p / sum : 1.0 / static_cast<double>(s.words));
    }
  }
}

}  // namespace

double MatrixTree::run_in_logs(const ArcScores& s) {
  scaled_ = false;
  marginals_.assign((s.words + 1) * s.stride, 0.0f);
  if (s.words == 0) return 0.0;
  heads_.resize(s.words + 1);
  const double best = best_tree_.best(s, heads_);
  if (best <= kForbidden / 2) {  // no allowed tree: put all probability on one
    for (std::size_t m = 1; m <= s.words; ++m) marginals_[heads_[m] * s.stride + m] = 1.0f;
    return best;
  }
  // Eliminate last a root child of an allowed tree: then every other word has an
  // allowed head other than the root when it is eliminated.
  const auto root_child = std::find(heads_.begin() + 1, heads_.end(), HeadId{0});
  prepare(s, static_cast<std::size_t>(root_child - heads_.begin()));

  Elimination& e = elimination_;
  for (std::size_t i = 0; i <= s.words; ++i)
    for (std::size_t j = 1; j <= s.words; ++j) e.arcs.data()[i * e.stride + j] = s(e.order[i], e.order[j]);
  eliminate(e);
  std::fill_n(e.gradient.data(), (s.words + 1) * e.stride, kLowest);
  for (std::size_t v = 1; v <= s.words; ++v) add_gradients(e, v);
  for (std::size_t i = 0; i <= s.words; ++i)
    for (std::size_t j = 1; j <= s.words; ++j) {
      if (i == j) continue;
      const double log_p = s(e.order[i], e.order[j]) + e.gradient.data()[i * e.stride + j];
      // As in matrix_tree.cc, those below 1e-30 become zero.
      const double p = log_p < -69.0 ? 0.0 : std::exp(std::min(log_p, 0.0));
      marginals_[e.order[i] * s.stride + e.order[j]] = static_cast<float>(p);
    }
  normalize(s, marginals_);
  double log_z = 0.0;
  for (std::size_t v = 1; v <= s.words; ++v) log_z += e.total[v];
  return log_z;
}

}  // namespace hinge
