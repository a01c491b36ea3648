// Sums over non-projective trees only; tree_sums_test.cc has the tests for both kinds.
#include "hinge/decode/matrix_tree.h"

#include <gtest/gtest.h>

#include <cmath>

#include "hinge/decode/inside_outside.h"
#include "tests/support/all_trees.h"
#include "tests/support/tree_sums.h"

namespace hinge::test {
namespace {

// Words strongly prefer each other as heads, which would be a cycle: the Laplacian
// is singular to the last bit, and its inverse has lost the information about
// which arc breaks the cycle.
TEST(MatrixTree, IsRightWhereTheLaplacianIsSingularToTheLastBit) {
  for (const float pull : {5.0f, 20.0f, 40.0f, 60.0f, 100.0f, 200.0f, 400.0f, 4000.0f})
    for (std::uint64_t seed = 0; seed < 20; ++seed)
      for (const bool single_root : {false, true}) {
        SCOPED_TRACE(testing::Message() << "pull " << pull << ", seed " << seed);
        Random random(seed);
        ArcMatrix arcs = random_arcs(random, 6, 3.0);
        for (std::size_t m = 1; m <= 6; ++m) {
          arcs.at(m % 2 == 1 ? m + 1 : m - 1, m) += pull;  // pairs
          arcs.at((m + 1) % 6 + 1, m) += pull / 2;         // and rings
        }
        const TreeTotals expected = enumerate_sums(arcs, {.single_root = single_root});
        ASSERT_NO_FATAL_FAILURE(expect_same(run<MatrixTree>(arcs, single_root), expected, 1e-7));
        ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs<MatrixTree>(arcs, single_root), expected, 1e-7));
      }
}

// All words prefer the root, and one may have no other head.
TEST(MatrixTree, FindsTheOneRootChild) {
  for (const float gain : {1.0f, 50.0f, 1000.0f})
    for (std::size_t child = 1; child <= 5; ++child) {
      SCOPED_TRACE(testing::Message() << "gain " << gain << ", child " << child << ", seed 3");
      Random random(3);
      ArcMatrix arcs = random_arcs(random, 5, 2.0);
      for (std::size_t m = 1; m <= 5; ++m) {
        arcs.at(0, m) += gain;
        if (m != child) arcs.at(m, child) = kForbidden;
      }
      const TreeTotals expected = enumerate_sums(arcs, {.single_root = true});
      ASSERT_NO_FATAL_FAILURE(expect_same(run<MatrixTree>(arcs, true), expected, 1e-7));
      ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs<MatrixTree>(arcs, true), expected, 1e-7));
      EXPECT_NEAR(run<MatrixTree>(arcs, true).marginals[child], 1.0, 1e-6);
    }
}

// Cayley: (n + 1)^(n - 1) trees of n words, n^(n - 1) of them with one root child.
TEST(MatrixTree, CountsTheTreesOfALongSentence) {
  for (const std::size_t words : {1, 2, 10, 60, 200}) {
    ArcMatrix arcs(words, 3);
    arcs.each_arc([](float& x) { x = 0.0f; });
    const double n = static_cast<double>(words);
    const double log_count = (n - 1) * std::log(n + 1);
    EXPECT_NEAR(run<MatrixTree>(arcs, false).log_z, log_count, 1e-10 * std::max(1.0, log_count))
        << words << " words";
    EXPECT_NEAR(run<MatrixTree>(arcs, true).log_z, (n - 1) * std::log(n), 1e-10 * std::max(1.0, log_count))
        << words << " words";
  }
}

TEST(MatrixTree, HasMoreTreesThanInsideOutside) {
  for (const std::size_t words : {3, 20, 60}) {
    SCOPED_TRACE(testing::Message() << words << " words, seed 5");
    Random random(5);
    const ArcMatrix arcs = random_arcs(random, words, 3.0);
    InsideOutside projective;
    for (const bool single_root : {false, true})
      EXPECT_GT(run<MatrixTree>(arcs, single_root).log_z, projective.run(arcs.scores(single_root)));
  }
}

}  // namespace
}  // namespace hinge::test
