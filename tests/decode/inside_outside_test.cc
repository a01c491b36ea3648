// Sums over projective trees only; tree_sums_test.cc has the tests for both kinds.
#include "hinge/decode/inside_outside.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hinge/decode/eisner.h"
#include "tests/support/all_trees.h"
#include "tests/support/tree_sums.h"

namespace hinge::test {
namespace {

// Only one tree is allowed, and it underflows: all words but one strongly prefer
// another head.
TEST(InsideOutside, FindsTreesThatUnderflow) {
  for (const float price : {100.0f, 300.0f, 650.0f, 700.0f, 5000.0f})
    for (const bool single_root : {false, true}) {
      SCOPED_TRACE(testing::Message() << "price " << price);
      ArcMatrix arcs(6, 0);
      arcs.each_arc([](float& x) { x = kForbidden; });
      for (std::size_t m = 2; m <= 6; ++m) {
        arcs.at(m - 1, m) = -price;
        arcs.at(m, m - 1) = 1.0f;  // forms a cycle, or cannot be reached from the root
      }
      arcs.at(0, 1) = -price;
      arcs.at(0, 6) = -7.0f * price;
      const TreeTotals expected = enumerate_sums(arcs, {.projective = true, .single_root = single_root});
      ASSERT_NO_FATAL_FAILURE(expect_same(run<InsideOutside>(arcs, single_root), expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs<InsideOutside>(arcs, single_root), expected, 1e-7));
    }
}

// All arcs equal or similar, and one arc per word far above the others.
TEST(InsideOutside, NeedsNoLogsForLongSentences) {
  for (const std::size_t words : {200, 400})
    for (const double range : {0.0, 1.0, 40.0}) {
      SCOPED_TRACE(testing::Message() << words << " words, scores to " << range << ", seed 4");
      Random random(4);
      const Heads tree = [&] {
        Heads heads(words + 1);
        Eisner().best(random_arcs(random, words, 1.0).scores(false), heads);
        return heads;
      }();
      ArcMatrix arcs = random_arcs(random, words, range);
      if (range > 1.0)
        for (std::size_t m = 1; m <= words; ++m) arcs.at(tree[m], m) += 100.0f;
      InsideOutside sums;
      const TreeTotals scaled = run(sums, arcs, false);
      EXPECT_TRUE(sums.scaled());
      ASSERT_NO_FATAL_FAILURE(expect_distribution(arcs, false, scaled));
      if (words > 200) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(scaled, run_in_logs<InsideOutside>(arcs, false), 1e-6));
    }
}

// There are binomial(3n, n) / (2n + 1) projective trees of n words.
TEST(InsideOutside, CountsTheTreesOfALongSentence) {
  for (const std::size_t words : {1, 2, 10, 60, 150}) {
    ArcMatrix arcs(words, 3);
    arcs.each_arc([](float& x) { x = 0.0f; });
    const double n = static_cast<double>(words);
    const double log_count =
        std::lgamma(3 * n + 1) - std::lgamma(n + 1) - std::lgamma(2 * n + 1) - std::log(2 * n + 1);
    EXPECT_NEAR(run<InsideOutside>(arcs, false).log_z, log_count, 1e-9 * std::max(1.0, log_count))
        << words << " words";
  }
}

}  // namespace
}  // namespace hinge::test
