// Sums over chains against enumeration of all sequences in double; where there
// are too many, the two methods of computing sums against each other.
//
// Padding and the edges into the first token hold huge numbers that would
// dominate if they were read.
#include "hinge/decode/forward_backward.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "hinge/core/random.h"
#include "tests/support/score_chain.h"

namespace hinge::test {
namespace {

Chain random_chain(Random& random, std::size_t tokens, std::size_t labels, bool edges_by_token,
                   double node_range, double edge_range) {
  Chain chain{tokens, labels, edges_by_token, {}, {}};
  const auto draw = [&](double range) { return static_cast<float>(range * (2.0 * random.uniform() - 1.0)); };
  const auto garbage = [&] { return random.below(2) == 0 ? 3e38f : -3e38f; };
  chain.node.resize(tokens * chain.stride());
  chain.edge.resize(chain.matrices() * labels * chain.stride());
  for (float& x : chain.node) x = garbage();
  for (float& x : chain.edge) x = garbage();
  chain.each_node([&](float& x) { x = draw(node_range); });
  chain.each_edge([&](float& x) { x = draw(edge_range); });
  return chain;
}

void forbid_some(Random& random, Chain& chain) {
  const auto forbid = [&](float& x) {
    if (random.below(4) == 0) x = kForbidden;
  };
  chain.each_node(forbid);
  chain.each_edge(forbid);
}

struct Sums {
  double log_z;
  std::vector<double> nodes;  // as ForwardBackward::nodes()
  std::vector<double> edges;
};

Sums enumerate(const Chain& chain) {
  const std::size_t square = chain.labels * chain.labels;
  Sums sums{0.0, std::vector<double>(chain.tokens * chain.stride(), 0.0),
            std::vector<double>(chain.matrices() * square, 0.0)};
  double high = -std::numeric_limits<double>::infinity();
  each_sequence(chain, [&](const Path& path) { high = std::max(high, chain.score(path)); });
  double z = 0.0;
  each_sequence(chain, [&](const Path& path) { z += std::exp(chain.score(path) - high); });
  each_sequence(chain, [&](const Path& path) {
    const double p = std::exp(chain.score(path) - high) / z;
    for (std::size_t t = 0; t < chain.tokens; ++t) {
      sums.nodes[t * chain.stride() + path[t]] += p;
      const std::size_t matrix = chain.edges_by_token ? t * square : 0;
      if (t > 0) sums.edges[matrix + path[t - 1] * chain.labels + path[t]] += p;
    }
  });
  sums.log_z = high + std::log(z);
  return sums;
}

Sums sums_of(const ForwardBackward& chain, double log_z) {
  return {log_z, {chain.nodes().begin(), chain.nodes().end()}, {chain.edges().begin(), chain.edges().end()}};
}

Sums run(const Chain& chain) {
  ForwardBackward sums;
  const double log_z = sums.run(chain.scores());
  return sums_of(sums, log_z);
}

Sums run_in_logs(const Chain& chain) {
  ForwardBackward sums;
  const double log_z = sums.run_in_logs(chain.scores());
  return sums_of(sums, log_z);
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t k = 0; k < actual.size(); ++k)
    ASSERT_NEAR(actual[k], expected[k], tolerance) << "at " << k;
}

void expect_same(const Sums& actual, const Sums& expected, double tolerance = 4e-6) {
  ASSERT_NEAR(actual.log_z, expected.log_z, 1e-6 * std::max(1.0, std::abs(expected.log_z)));
  expect_near(actual.nodes, expected.nodes, tolerance);
  expect_near(actual.edges, expected.edges, tolerance * 5);
}

// The probabilities of each token and each pair sum to one; the padding is zero.
void expect_distribution(const Chain& chain, const Sums& sums) {
  for (std::size_t t = 0; t < chain.tokens; ++t) {
    const double* row = sums.nodes.data() + t * chain.stride();
    for (std::size_t y = 0; y < chain.stride(); ++y) ASSERT_TRUE(row[y] >= 0.0 && row[y] <= 1.0 + 1e-6);
    for (std::size_t y = chain.labels; y < chain.stride(); ++y) ASSERT_EQ(row[y], 0.0);
    ASSERT_NEAR(std::accumulate(row, row + chain.labels, 0.0), 1.0, 1e-5) << "token " << t;
  }
  const double steps = chain.tokens > 0 ? static_cast<double>(chain.tokens - 1) : 0.0;
  ASSERT_NEAR(std::accumulate(sums.edges.begin(), sums.edges.end(), 0.0), steps, 1e-5 * (steps + 1.0));
}

// Small chains of every shape; 17 labels need more than one vector.
void each_small_chain(const std::function<void(Random&, std::size_t, std::size_t, bool)>& body) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const bool wide = seed % 7 == 0;
    const std::size_t labels = wide ? 15 + random.below(20) : 1 + random.below(5);
    const std::size_t tokens = wide ? 1 + random.below(2) : random.below(6);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ": " << tokens << " tokens, " << labels
                                    << " labels");
    body(random, tokens, labels, seed % 2 == 1);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(ForwardBackward, SumsOverAllSequences) {
  each_small_chain([](Random& random, std::size_t tokens, std::size_t labels, bool by_token) {
    const Chain chain = random_chain(random, tokens, labels, by_token, 5.0, 3.0);
    const Sums expected = enumerate(chain);
    ForwardBackward sums;
    const double log_z = sums.run(chain.scores());
    ASSERT_TRUE(sums.scaled());
    ASSERT_NO_FATAL_FAILURE(expect_same(sums_of(sums, log_z), expected));
    ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(chain), expected));
    ASSERT_NO_FATAL_FAILURE(expect_distribution(chain, sums_of(sums, log_z)));
  });
}

TEST(ForwardBackward, TakesScoresOfAnySize) {
  int scaled = 0;
  int in_logs = 0;
  for (const double node_range : {1.0, 30.0, 300.0, 1e4})
    for (const double edge_range : {1.0, 20.0, 60.0, 1e4})
      each_small_chain([&](Random& random, std::size_t tokens, std::size_t labels, bool by_token) {
        SCOPED_TRACE(testing::Message() << "nodes to " << node_range << ", edges to " << edge_range);
        const Chain chain = random_chain(random, tokens, labels, by_token, node_range, edge_range);
        const Sums expected = enumerate(chain);
        ForwardBackward sums;
        const double log_z = sums.run(chain.scores());
        (sums.scaled() ? scaled : in_logs)++;
        ASSERT_NO_FATAL_FAILURE(expect_same(sums_of(sums, log_z), expected));
        ASSERT_NO_FATAL_FAILURE(expect_same(run_in_logs(chain), expected));
        ASSERT_NO_FATAL_FAILURE(expect_distribution(chain, sums_of(sums, log_z)));
      });
  EXPECT_GT(scaled, 1000);
  EXPECT_GT(in_logs, 100);
}

TEST(ForwardBackward, NeedsNoLogsWhereEdgesRangeOver25) {
  for (const double node_range : {1.0, 30.0, 1e4, 1e30})
    for (const std::size_t labels : {2, 5, 16, 22, 40})
      for (const bool by_token : {false, true}) {
        SCOPED_TRACE(testing::Message() << labels << " labels, nodes to " << node_range << ", seed 1");
        Random random(1);
        Chain chain = random_chain(random, 60, labels, by_token, node_range, 12.5);
        // The largest range of edge scores, at every token.
        chain.each_edge([&](float& x) { x = random.below(2) == 0 ? 12.5f : -12.5f; });
        ForwardBackward sums;
        const double log_z = sums.run(chain.scores());
        ASSERT_TRUE(sums.scaled());
        ASSERT_NO_FATAL_FAILURE(expect_distribution(chain, sums_of(sums, log_z)));
        ASSERT_NO_FATAL_FAILURE(expect_same(sums_of(sums, log_z), run_in_logs(chain), 2e-5));
      }
}

TEST(ForwardBackward, GivesNothingToWhatIsForbidden) {
  each_small_chain([](Random& random, std::size_t tokens, std::size_t labels, bool by_token) {
    const double range = random.below(2) == 0 ? 4.0 : 1e4;
    Chain chain = random_chain(random, tokens, labels, by_token, range, range);
    forbid_some(random, chain);
    const Sums expected = enumerate(chain);
    const bool allowed = expected.log_z > kForbidden / 2;
    for (const Sums& sums : {run(chain), run_in_logs(chain)}) {
      ASSERT_TRUE(std::isfinite(sums.log_z));
      ASSERT_NO_FATAL_FAILURE(expect_distribution(chain, sums));
      if (!allowed) continue;
      ASSERT_NO_FATAL_FAILURE(expect_same(sums, expected));
    }
  });
}

// The usual forbidden transitions: I may follow only B or I of the same type.
TEST(ForwardBackward, NeedsNoLogsForSpans) {
  Random random(2);
  Chain chain = random_chain(random, 25, 9, false, 6.0, 3.0);
  for (std::size_t from = 0; from < 9; ++from)
    for (std::size_t inside = 2; inside < 9; inside += 2)
      if (from != inside && from != inside - 1) chain.edge_at(0, from, inside) = kForbidden;
  ForwardBackward sums;
  const double log_z = sums.run(chain.scores());
  EXPECT_TRUE(sums.scaled());
  expect_same(sums_of(sums, log_z), run_in_logs(chain));
  EXPECT_EQ(sums.edges()[0 * 9 + 2], 0.0f);
}

// Labels never change along the chain. Label 0 pays in the middle, the others pay
// less in total but more at both ends, where they underflow.
Chain chain_lost_from_both_ends(bool by_token, std::size_t tokens, float at_ends, float in_the_middle) {
  Random random(3);
  Chain chain = random_chain(random, tokens, 3, by_token, 1.0, 1.0);
  chain.each_edge([](float& x) { x = kForbidden; });
  for (std::size_t t = by_token ? 1 : 0; t < chain.matrices(); ++t)
    for (std::size_t y = 0; y < 3; ++y) chain.edge_at(t, y, y) = 0.25f;
  for (const std::size_t y : {1, 2}) chain.node_at(0, y) = chain.node_at(tokens - 1, y) = -at_ends;
  for (std::size_t t = 1; t + 1 < tokens; ++t) chain.node_at(t, 0) = -in_the_middle;
  return chain;
}

TEST(ForwardBackward, FindsSequencesThatUnderflow) {
  for (const bool by_token : {false, true}) {
    // A huge cost at one token, which the forward pass notices.
    for (const float price : {20.0f, 60.0f, 100.0f, 200.0f, 5000.0f}) {
      SCOPED_TRACE(testing::Message() << "price " << price);
      const Chain chain = chain_lost_from_both_ends(by_token, 3, price, 3.0f * price);
      ASSERT_NO_FATAL_FAILURE(expect_same(run(chain), enumerate(chain)));
    }
    // Many small costs: no single step looks wrong, and both passes miss the better labels.
    const Chain chain = chain_lost_from_both_ends(by_token, 9, 82.0f, 24.0f);
    const Sums expected = enumerate(chain);
    ASSERT_LT(expected.nodes[0], 0.5);
    ASSERT_NO_FATAL_FAILURE(expect_same(run(chain), expected));
  }
}

TEST(ForwardBackward, StaysFiniteThroughADocumentWhereAllIsForbidden) {
  for (const bool by_token : {false, true})
    for (const int what : {1, 2, 3}) {
      Random random(4);
      Chain chain = random_chain(random, 3000, 3, by_token, 1.0, 1.0);
      if ((what & 1) != 0) chain.each_node([](float& x) { x = kForbidden; });
      if ((what & 2) != 0) chain.each_edge([&](float& x) { x = kForbidden * (1.0f + random.below(3)); });
      for (const Sums& sums : {run(chain), run_in_logs(chain)}) {
        EXPECT_TRUE(std::isfinite(sums.log_z));
        ASSERT_NO_FATAL_FAILURE(expect_distribution(chain, sums));
      }
    }
}

TEST(ForwardBackward, IsTheSameBothWaysAroundTheWidthsOfVectorRegisters) {
  for (const std::size_t labels : {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 65, 129})
    for (const bool by_token : {false, true}) {
      SCOPED_TRACE(testing::Message() << labels << " labels, seed 5");
      Random random(5);
      const Chain chain = random_chain(random, 12, labels, by_token, 5.0, 3.0);
      ForwardBackward sums;
      const double log_z = sums.run(chain.scores());
      ASSERT_TRUE(sums.scaled());
      ASSERT_NO_FATAL_FAILURE(expect_distribution(chain, sums_of(sums, log_z)));
      ASSERT_NO_FATAL_FAILURE(expect_same(sums_of(sums, log_z), run_in_logs(chain)));
    }
}

TEST(ForwardBackward, KeepsItsAccuracyOverLongChains) {
  Random random(6);
  const Chain chain = random_chain(random, 20000, 5, false, 5.0, 3.0);
  const Sums scaled = run(chain);
  const Sums in_logs = run_in_logs(chain);
  ASSERT_NO_FATAL_FAILURE(expect_distribution(chain, scaled));
  ASSERT_NO_FATAL_FAILURE(expect_distribution(chain, in_logs));
  EXPECT_NEAR(scaled.log_z, in_logs.log_z, 1e-6 * in_logs.log_z);
  expect_near(scaled.nodes, in_logs.nodes, 4e-6);
}

TEST(ForwardBackward, GivesTheGradientOfTheLogSum) {
  constexpr float kStep = 1.0f / 64;
  for (const bool by_token : {false, true}) {
    Random random(7);
    Chain chain = random_chain(random, 6, 18, by_token, 3.0, 2.0);
    const Sums sums = run(chain);
    const auto slope = [&](float& score) {
      const float before = score;
      score = before + kStep;
      const double above = run(chain).log_z;
      score = before - kStep;
      const double below = run(chain).log_z;
      score = before;
      return (above - below) / (2.0 * kStep);
    };
    for (std::size_t t = 0; t < chain.tokens; ++t)
      for (std::size_t y = 0; y < chain.labels; ++y)
        ASSERT_NEAR(slope(chain.node_at(t, y)), sums.nodes[t * chain.stride() + y], 1e-4);
    for (std::size_t t = by_token ? 1 : 0; t < chain.matrices(); ++t)
      for (std::size_t i = 0; i < chain.labels; ++i)
        for (std::size_t j = 0; j < chain.labels; ++j)
          ASSERT_NEAR(slope(chain.edge_at(t, i, j)), sums.edges[(t * chain.labels + i) * chain.labels + j],
                      2e-4);
  }
}

TEST(ForwardBackward, DoesNotDependOnWhatItsBuffersHeldBefore) {
  Random random(8);
  ForwardBackward reused;
  for (int round = 0; round < 100; ++round) {
    SCOPED_TRACE(testing::Message() << "seed 8, round " << round);
    const std::size_t tokens = round % 3 == 0 ? 40 : random.below(4);
    Chain chain = random_chain(random, tokens, 1 + random.below(40), round % 2 == 1, 5.0, 3.0);
    if (round % 5 == 0) forbid_some(random, chain);
    const double log_z = reused.run(chain.scores());
    const Sums fresh = run(chain);
    ASSERT_EQ(log_z, fresh.log_z);
    ASSERT_EQ(sums_of(reused, log_z).nodes, fresh.nodes);
    ASSERT_EQ(sums_of(reused, log_z).edges, fresh.edges);
  }
}

TEST(ForwardBackward, OfAChainWithoutTokensIsZero) {
  const float score = 1.0f;
  ForwardBackward sums;
  EXPECT_EQ(sums.run({0, 3, padded_labels(3), nullptr, &score, 0}), 0.0);
  EXPECT_TRUE(sums.nodes().empty());
  EXPECT_EQ(sums_of(sums, 0.0).edges, std::vector<double>(9, 0.0));
  EXPECT_EQ(sums.run({0, 3, padded_labels(3), nullptr, &score, 48}), 0.0);
  EXPECT_TRUE(sums.nodes().empty());
  EXPECT_TRUE(sums.edges().empty());
}

}  // namespace
}  // namespace hinge::test
