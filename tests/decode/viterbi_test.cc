// Chain decoders against enumeration of all sequences, or, where there are too
// many, against a simple dynamic program in double.
//
// Scores are multiples of 1/8, so that sums are exact in any order and ties are
// frequent; padding holds large numbers that would win if they were read.
#include "hinge/decode/viterbi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>

#include "hinge/core/random.h"
#include "hinge/core/weights.h"
#include "tests/support/score_chain.h"

namespace hinge::test {
namespace {

constexpr float kPadding = 1e6f;

// A small `range` makes ties frequent.
Chain random_chain(Random& random, std::size_t tokens, std::size_t labels, bool edges_by_token, int range) {
  Chain chain{tokens, labels, edges_by_token, {}, {}};
  const auto draw = [&] {
    return static_cast<float>(static_cast<int>(random.below(2 * range + 1)) - range) / 8;
  };
  chain.node.assign(tokens * chain.stride(), kPadding);
  chain.edge.assign(chain.matrices() * labels * chain.stride(), kPadding);
  chain.each_node([&](float& x) { x = draw(); });
  chain.each_edge([&](float& x) { x = draw(); });  // edges into the first token stay large
  return chain;
}

Path best_by_enumeration(const Chain& chain) {
  Path best;
  double best_score = -std::numeric_limits<double>::infinity();
  each_sequence(chain, [&](const Path& path) {
    const double score = chain.score(path);
    if (score <= best_score) return;
    best_score = score;
    best = path;
  });
  return best;
}

// The best prefixes, in double; ties go to the lowest label.
Path best_by_plain_program(const Chain& chain) {
  const ChainScores scores = chain.scores();
  std::vector<std::vector<double>> best(chain.tokens, std::vector<double>(chain.labels));
  std::vector<std::vector<LabelId>> from(chain.tokens, std::vector<LabelId>(chain.labels, 0));
  for (std::size_t t = 0; t < chain.tokens; ++t)
    for (std::size_t y = 0; y < chain.labels; ++y) {
      double reach = t == 0 ? 0.0 : -std::numeric_limits<double>::infinity();
      for (std::size_t x = 0; t > 0 && x < chain.labels; ++x) {
        const double candidate = best[t - 1][x] + scores.edges_into(t)[x * scores.stride + y];
        if (candidate > reach) {
          reach = candidate;
          from[t][y] = static_cast<LabelId>(x);
        }
      }
      best[t][y] = reach + scores.node[t * scores.stride + y];
    }
  Path path(chain.tokens);
  const auto& last = best.back();
  path.back() = static_cast<LabelId>(std::max_element(last.begin(), last.end()) - last.begin());
  for (std::size_t t = chain.tokens - 1; t > 0; --t) path[t - 1] = from[t][path[t]];
  return path;
}

struct Decoded {
  float score;
  Path path;
  std::vector<float> forward;
};

Decoded decode(const Chain& chain) {
  Decoded decoded{0.0f, Path(chain.tokens, 0xFFFF), {}};
  decoded.score = viterbi(chain.scores(), decoded.forward, decoded.path);
  return decoded;
}

TEST(Viterbi, IsTheBestOfAllSequences) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Chain chain = random_chain(random, 1 + random.below(6), 1 + random.below(5), seed % 2 == 1, 800);
    const Decoded decoded = decode(chain);
    ASSERT_EQ(decoded.path, best_by_enumeration(chain));
    ASSERT_EQ(decoded.score, chain.score(decoded.path));
  }
}

TEST(Viterbi, GivesTiesToTheLowestLabelFromTheLastTokenBackwards) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Chain chain = random_chain(random, 1 + random.below(6), 1 + random.below(5), seed % 2 == 1, 1);
    ASSERT_EQ(decode(chain).path, best_by_enumeration(chain));
  }
}

TEST(Viterbi, TakesLabelZeroThroughoutWhereAllSequencesAreEqual) {
  for (const std::size_t labels : {1, 2, 15, 16, 17, 33, 70}) {
    Random random(1);
    const Chain chain = random_chain(random, 7, labels, false, 0);
    ASSERT_EQ(decode(chain).path, Path(7, 0)) << labels << " labels";
  }
}

TEST(Viterbi, AgreesWithAPlainProgramAroundTheWidthsOfVectorRegisters) {
  for (const std::size_t labels :
       {1, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65, 70, 129})
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
      SCOPED_TRACE(testing::Message() << labels << " labels, seed " << seed);
      Random random(seed);
      const Chain chain =
          random_chain(random, 1 + random.below(12), labels, seed % 2 == 1, seed < 4 ? 400 : 2);
      const Decoded decoded = decode(chain);
      ASSERT_EQ(decoded.path, best_by_plain_program(chain));
      ASSERT_EQ(decoded.score, chain.score(decoded.path));
    }
}

TEST(Viterbi, FindsTheBestScoreWhereSumsAreRounded) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Chain chain = random_chain(random, 1 + random.below(40), 1 + random.below(40), seed % 2 == 1, 8);
    for (std::size_t t = 0; t < chain.tokens; ++t)
      for (std::size_t y = 0; y < chain.labels; ++y)
        chain.node_at(t, y) = static_cast<float>(random.uniform() * 20 - 10);
    const Decoded decoded = decode(chain);
    EXPECT_NEAR(decoded.score, chain.score(decoded.path), 1e-3);
    EXPECT_NEAR(decoded.score, chain.score(best_by_plain_program(chain)), 1e-3);
  }
}

TEST(Viterbi, LeavesTheBestPrefixIntoEveryLabel) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Chain chain = random_chain(random, 1 + random.below(5), 1 + random.below(4), seed % 2 == 1, 50);
    const Decoded decoded = decode(chain);
    ASSERT_EQ(decoded.forward.size(), chain.tokens * chain.stride());
    for (std::size_t t = 0; t < chain.tokens; ++t) {
      Chain prefix = chain;
      prefix.tokens = t + 1;
      std::vector<double> best(chain.labels, -1e9);
      each_sequence(prefix,
                    [&](const Path& path) { best[path[t]] = std::max(best[path[t]], prefix.score(path)); });
      for (std::size_t y = 0; y < chain.labels; ++y)
        ASSERT_EQ(decoded.forward[t * chain.stride() + y], best[y]) << "token " << t << " label " << y;
    }
  }
}

TEST(Viterbi, NeverTakesWhatIsForbiddenWhereAnAllowedSequenceExists) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Chain chain = random_chain(random, 1 + random.below(6), 1 + random.below(5), seed % 2 == 1, 100);
    for (std::size_t t = 0; t < chain.tokens; ++t)
      for (std::size_t y = 0; y < chain.labels; ++y)
        if (random.below(3) == 0) chain.node_at(t, y) = kForbidden;
    for (std::size_t t = chain.edges_by_token ? 1 : 0; t < (chain.edges_by_token ? chain.tokens : 1); ++t)
      for (std::size_t from = 0; from < chain.labels; ++from)
        for (std::size_t to = 0; to < chain.labels; ++to)
          if (random.below(3) == 0) chain.edge_at(t, from, to) = kForbidden;
    const Path best = best_by_enumeration(chain);
    const Decoded decoded = decode(chain);
    for (const LabelId label : decoded.path) ASSERT_LT(label, chain.labels);
    if (!chain.allows(best)) continue;
    ASSERT_EQ(decoded.path, best);
    ASSERT_EQ(decoded.score, chain.score(best));
  }
}

TEST(Viterbi, FindsTheOneAllowedSequenceAmongManyLabels) {
  for (const std::size_t labels : {15, 16, 17, 33, 70}) {
    SCOPED_TRACE(testing::Message() << labels << " labels, seed 3");
    Random random(3);
    Chain chain = random_chain(random, 30, labels, false, 100);
    Path only(chain.tokens);
    for (std::size_t t = 0; t < chain.tokens; ++t) {
      only[t] = static_cast<LabelId>(random.below(labels));
      for (std::size_t y = 0; y < labels; ++y)
        if (y != only[t]) chain.node_at(t, y) = kForbidden;
    }
    EXPECT_EQ(decode(chain).path, only);
  }
}

TEST(Viterbi, StaysFiniteThroughADocumentWhereAllIsForbidden) {
  Random random(4);
  Chain chain = random_chain(random, 20000, 3, false, 8);
  std::fill(chain.node.begin(), chain.node.end(), kForbidden);
  std::fill(chain.edge.begin(), chain.edge.end(), kForbidden);
  const Decoded decoded = decode(chain);
  EXPECT_TRUE(std::isfinite(decoded.score));
  for (const LabelId label : decoded.path) ASSERT_LT(label, 3);
}

TEST(Viterbi, DoesNotDependOnWhatItsScratchHeldBefore) {
  Random random(5);
  std::vector<float> forward;
  for (int round = 0; round < 50; ++round) {
    const Chain chain = random_chain(random, 1 + random.below(20), 1 + random.below(40), round % 2 == 1, 20);
    Path path(chain.tokens);
    const float score = viterbi(chain.scores(), forward, path);
    const Decoded fresh = decode(chain);
    ASSERT_EQ(path, fresh.path) << "seed 5, round " << round;
    ASSERT_EQ(score, fresh.score) << "seed 5, round " << round;
  }
}

TEST(Viterbi, OfAChainWithoutTokensIsZero) {
  const ChainScores empty{0, 3, padded_labels(3), nullptr, nullptr, 0};
  std::vector<float> forward;
  EXPECT_EQ(viterbi(empty, forward, {}), 0.0f);
}

// In a separate process, so that a decoder that reads past the end fails only this test.
TEST(MaxMarginalsDeathTest, OfAChainWithoutTokensAreNone) {
  const auto marginals_of_nothing = [] {
    const ChainScores empty{0, 3, padded_labels(3), nullptr, nullptr, 0};
    std::vector<float> marginals(48, 1.0f);
    max_marginals(empty, {}, marginals);
    std::exit(marginals.empty() ? 0 : 1);
  };
  EXPECT_EXIT(marginals_of_nothing(), testing::ExitedWithCode(0), "");
}

TEST(MaxMarginals, AreTheBestSequencesThroughEachLabel) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Chain chain = random_chain(random, 1 + random.below(6), 1 + random.below(5), seed % 2 == 1, 100);
    const Decoded decoded = decode(chain);
    std::vector<float> marginals;
    max_marginals(chain.scores(), decoded.forward, marginals);

    std::vector<double> best(chain.tokens * chain.labels, -1e9);
    each_sequence(chain, [&](const Path& path) {
      for (std::size_t t = 0; t < chain.tokens; ++t) {
        double& cell = best[t * chain.labels + path[t]];
        cell = std::max(cell, chain.score(path));
      }
    });
    ASSERT_EQ(marginals.size(), chain.tokens * chain.stride());
    for (std::size_t t = 0; t < chain.tokens; ++t)
      for (std::size_t y = 0; y < chain.labels; ++y)
        ASSERT_EQ(marginals[t * chain.stride() + y], best[t * chain.labels + y])
            << "token " << t << " label " << y;
  }
}

TEST(MaxMarginals, AreTheBestScoreAlongTheBestSequenceAndNoMoreElsewhere) {
  for (const std::size_t labels : {15, 16, 17, 33, 70}) {
    SCOPED_TRACE(testing::Message() << labels << " labels, seed 6");
    Random random(6);
    const Chain chain = random_chain(random, 9, labels, labels % 2 == 1, 100);
    const Decoded decoded = decode(chain);
    std::vector<float> marginals;
    max_marginals(chain.scores(), decoded.forward, marginals);
    for (std::size_t t = 0; t < chain.tokens; ++t) {
      EXPECT_EQ(marginals[t * chain.stride() + decoded.path[t]], decoded.score);
      for (std::size_t y = 0; y < labels; ++y) {
        // The best sequence with a label at a token is the best if all other labels are forbidden there.
        Chain through = chain;
        for (std::size_t other = 0; other < labels; ++other)
          if (other != y) through.node_at(t, other) = kForbidden;
        ASSERT_EQ(marginals[t * chain.stride() + y], decode(through).score)
            << "token " << t << " label " << y;
      }
    }
  }
}

class SumRows : public testing::TestWithParam<std::size_t> {};

TEST_P(SumRows, AddsTheRowsLaneByLane) {
  const std::size_t labels = GetParam();
  const std::size_t stride = padded_labels(labels);
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    constexpr std::size_t kRows = 20;
    Weights w(kRows * labels);
    for (float& value : w.span()) value = static_cast<float>(static_cast<int>(random.below(201)) - 100) / 8;
    std::vector<std::uint32_t> rows(random.below(12));
    std::vector<float> values(rows.size());
    for (auto& row : rows) row = static_cast<std::uint32_t>(random.below(kRows));
    if (!rows.empty()) rows.back() = kRows - 1;  // its padding is beyond the weights
    for (auto& value : values) value = static_cast<float>(static_cast<int>(random.below(17)) - 8) / 4;

    for (const bool weighted : {false, true}) {
      std::vector<float> out(stride + 16, 777.0f);
      sum_rows(w.data(), rows, weighted ? values.data() : nullptr, labels, stride, out.data());
      for (std::size_t y = 0; y < labels; ++y) {
        double sum = 0.0;
        for (std::size_t k = 0; k < rows.size(); ++k)
          sum += (weighted ? values[k] : 1.0f) * w[rows[k] * labels + y];
        ASSERT_EQ(out[y], sum) << (weighted ? "with" : "without") << " values, label " << y;
      }
      for (std::size_t y = 0; y < stride; ++y) ASSERT_TRUE(std::isfinite(out[y])) << "lane " << y;
      for (std::size_t y = stride; y < out.size(); ++y) ASSERT_EQ(out[y], 777.0f) << "written beyond the row";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Labels, SumRows,
                         testing::Values(1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 23, 31, 32, 33, 48, 49, 63, 64, 65,
                                         70, 101),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace hinge::test
