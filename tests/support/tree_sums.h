// Sums over trees by enumeration, for InsideOutside and MatrixTree alike.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/all_trees.h"

namespace hinge::test {

struct TreeTotals {
  double log_z;
  std::vector<double> marginals;  // laid out as in the decoders
};

inline TreeTotals enumerate_sums(const ArcMatrix& arcs, TreeKind kind) {
  TreeTotals totals{0.0, std::vector<double>(arcs.score.size(), 0.0)};
  if (arcs.words == 0) return totals;
  const double high = best_score(arcs, kind);
  double z = 0.0;
  each_tree(arcs.words, kind, [&](const Heads& heads) { z += std::exp(arcs.score_of(heads) - high); });
  each_tree(arcs.words, kind, [&](const Heads& heads) {
    const double p = std::exp(arcs.score_of(heads) - high) / z;
    for (std::size_t m = 1; m <= arcs.words; ++m) totals.marginals[heads[m] * arcs.stride + m] += p;
  });
  totals.log_z = high + std::log(z);
  return totals;
}

template <typename Decoder>
TreeTotals run(Decoder& decoder, const ArcMatrix& arcs, bool single_root) {
  const double log_z = decoder.run(arcs.scores(single_root));
  return {log_z, {decoder.marginals().begin(), decoder.marginals().end()}};
}

template <typename Decoder>
TreeTotals run_in_logs(Decoder& decoder, const ArcMatrix& arcs, bool single_root) {
  const double log_z = decoder.run_in_logs(arcs.scores(single_root));
  return {log_z, {decoder.marginals().begin(), decoder.marginals().end()}};
}

// With a fresh decoder.
template <typename Decoder>
TreeTotals run(const ArcMatrix& arcs, bool single_root) {
  Decoder decoder;
  return run(decoder, arcs, single_root);
}

template <typename Decoder>
TreeTotals run_in_logs(const ArcMatrix& arcs, bool single_root) {
  Decoder decoder;
  return run_in_logs(decoder, arcs, single_root);
}

inline void expect_same(const TreeTotals& actual, const TreeTotals& expected, double tolerance) {
  ASSERT_NEAR(actual.log_z, expected.log_z, tolerance * std::max(1.0, std::abs(expected.log_z)));
  ASSERT_EQ(actual.marginals.size(), expected.marginals.size());
  for (std::size_t k = 0; k < actual.marginals.size(); ++k)
    ASSERT_NEAR(actual.marginals[k], expected.marginals[k], tolerance) << "at " << k;
}

// The probabilities of each word's heads sum to one, those of the root's arcs to
// one or more; entries that are not arcs have zero.
inline void expect_distribution(const ArcMatrix& arcs, bool single_root, const TreeTotals& totals) {
  ASSERT_TRUE(std::isfinite(totals.log_z));
  ASSERT_EQ(totals.marginals.size(), arcs.score.size());
  double of_root = 0.0;
  for (std::size_t m = 0; m < arcs.stride; ++m) {
    double sum = 0.0;
    for (std::size_t h = 0; h <= arcs.words; ++h) {
      const double p = totals.marginals[h * arcs.stride + m];
      ASSERT_TRUE(p >= 0.0 && p <= 1.0 + 1e-6) << h << " to " << m << ": " << p;
      const bool is_arc = m > 0 && m <= arcs.words && h != m;
      ASSERT_TRUE(is_arc || p == 0.0) << h << " to " << m << ": " << p;
      sum += p;
    }
    of_root += totals.marginals[m];
    ASSERT_NEAR(sum, m > 0 && m <= arcs.words ? 1.0 : 0.0, 1e-6) << "word " << m;
  }
  if (arcs.words == 0) return;
  ASSERT_GE(of_root, 1.0 - 1e-5);
  ASSERT_TRUE(!single_root || of_root <= 1.0 + 1e-5) << of_root;
}

}  // namespace hinge::test
