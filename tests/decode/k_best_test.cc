// The k best sequences against the sorted list of all.
#include "hinge/decode/k_best.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "hinge/core/random.h"

namespace hinge {
namespace {

using Path = std::vector<LabelId>;

struct Chain {
  std::size_t tokens, labels, stride;
  std::vector<float> node, edge;
  bool edges_by_token;

  ChainScores scores() const {
    return {tokens, labels, stride, node.data(), edge.data(), edges_by_token ? labels * stride : 0};
  }
  double score(const Path& path) const {
    double sum = 0.0;
    for (std::size_t t = 0; t < tokens; ++t) {
      sum += node[t * stride + path[t]];
      if (t > 0) sum += scores().edges_into(t)[path[t - 1] * stride + path[t]];
    }
    return sum;
  }
};

// Multiples of 1/8, exact in any order of addition. Padding is random too.
Chain random_chain(Random& random, std::size_t tokens, std::size_t labels, bool edges_by_token, int range) {
  Chain chain{tokens, labels, padded_labels(labels), {}, {}, edges_by_token};
  chain.node.resize(tokens * chain.stride);
  chain.edge.resize((edges_by_token ? tokens : 1) * labels * chain.stride);
  for (auto* scores : {&chain.node, &chain.edge})
    for (float& score : *scores)
      score = static_cast<float>(static_cast<int>(random.below(2 * range + 1)) - range) / 8;
  return chain;
}

std::vector<double> all_scores(const Chain& chain) {
  std::vector<double> scores;
  Path path(chain.tokens, 0);
  for (std::size_t t = 0; t < chain.tokens;) {
    scores.push_back(chain.score(path));
    t = 0;
    while (t < chain.tokens && ++path[t] == chain.labels) path[t++] = 0;
  }
  std::sort(scores.rbegin(), scores.rend());
  return scores;
}

void expect_the_k_best(const Chain& chain, std::size_t k) {
  const std::vector<double> all = all_scores(chain);
  const std::vector<ScoredPath> found = k_best_paths(chain.scores(), k);
  ASSERT_EQ(found.size(), std::min(k, all.size()));
  std::set<Path> distinct;
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    ASSERT_EQ(found[rank].labels.size(), chain.tokens);
    for (const LabelId label : found[rank].labels) ASSERT_LT(label, chain.labels);
    ASSERT_EQ(found[rank].score, all[rank]) << "rank " << rank;
    ASSERT_EQ(found[rank].score, chain.score(found[rank].labels)) << "rank " << rank;
    ASSERT_TRUE(distinct.insert(found[rank].labels).second) << "rank " << rank << " came before";
  }
}

TEST(KBest, IsTheHeadOfTheSortedEnumeration) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    const Chain chain = random_chain(random, 1 + random.below(5), 1 + random.below(5), seed % 2 == 1, 500);
    const std::size_t k = 1 + random.below(40);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", k " << k);
    ASSERT_NO_FATAL_FAILURE(expect_the_k_best(chain, k));
  }
}

TEST(KBest, HoldsDistinctSequencesWhereManyTie) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const Chain chain =
        random_chain(random, 1 + random.below(5), 1 + random.below(4), seed % 2 == 1, seed % 3);
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    ASSERT_NO_FATAL_FAILURE(expect_the_k_best(chain, 1 + random.below(60)));
  }
}

TEST(KBest, HasEverySequenceOnceWhereFewerThanKExist) {
  for (std::size_t tokens = 1; tokens <= 4; ++tokens)
    for (std::size_t labels = 1; labels <= 4; ++labels) {
      SCOPED_TRACE(testing::Message() << tokens << " tokens, " << labels << " labels, seed 7");
      Random random(7);
      const Chain chain = random_chain(random, tokens, labels, tokens % 2 == 0, 30);
      ASSERT_NO_FATAL_FAILURE(expect_the_k_best(chain, 1000));
    }
}

TEST(KBest, BeginsWithWhatViterbiFinds) {
  for (const std::size_t labels : {1, 2, 5, 15, 16, 17, 33, 70})
    for (const std::size_t k : {1, 2, 5}) {
      SCOPED_TRACE(testing::Message() << labels << " labels, k " << k << ", seed 8");
      Random random(8);
      const Chain chain = random_chain(random, 12, labels, labels % 2 == 0, 30000);
      Path path(chain.tokens);
      std::vector<float> forward;
      const float score = viterbi(chain.scores(), forward, path);
      const std::vector<ScoredPath> found = k_best_paths(chain.scores(), k);
      ASSERT_FALSE(found.empty());
      EXPECT_EQ(found[0].score, score);
      EXPECT_EQ(found[0].labels, path);
    }
}

TEST(KBest, BeginsWithWhatViterbiFindsWhereSequencesTie) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const Chain chain = random_chain(random, 1 + random.below(8), 1 + random.below(20), seed % 2 == 1, 1);
    Path path(chain.tokens);
    std::vector<float> forward;
    viterbi(chain.scores(), forward, path);
    ASSERT_EQ(k_best_paths(chain.scores(), 1).at(0).labels, path);
    ASSERT_EQ(k_best_paths(chain.scores(), 7).at(0).labels, path);
  }
}

// The first of the list equals plain prediction to the last bit: otherwise
// rounding could make the two commands choose different sequences.
TEST(KBest, BeginsWithWhatViterbiFindsWhereSumsAreRounded) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Chain chain = random_chain(random, 1 + random.below(30), 1 + random.below(20), seed % 2 == 1, 1);
    for (auto* scores : {&chain.node, &chain.edge})
      for (float& score : *scores) score = static_cast<float>(random.uniform() * 2 - 1);
    Path path(chain.tokens);
    std::vector<float> forward;
    const float score = viterbi(chain.scores(), forward, path);
    const ScoredPath best = k_best_paths(chain.scores(), 1).at(0);
    ASSERT_EQ(best.labels, path);
    ASSERT_EQ(best.score, score);
  }
}

TEST(KBest, ListsNoSequenceThatIsForbidden) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    Chain chain = random_chain(random, 1 + random.below(4), 2 + random.below(3), seed % 2 == 1, 50);
    for (auto* scores : {&chain.node, &chain.edge})
      for (float& score : *scores)
        if (random.below(4) == 0) score = kForbidden;
    std::vector<double> allowed = all_scores(chain);
    std::erase_if(allowed, [](double score) { return score < kForbidden / 2; });
    const std::vector<ScoredPath> found = k_best_paths(chain.scores(), 30);
    ASSERT_EQ(found.size(), std::min<std::size_t>(30, allowed.size()));
    for (std::size_t rank = 0; rank < found.size(); ++rank)
      ASSERT_EQ(found[rank].score, allowed[rank]) << "rank " << rank;
  }
}

TEST(KBest, OfAChainWithoutTokensIsEmpty) {
  const ChainScores empty{0, 3, padded_labels(3), nullptr, nullptr, 0};
  EXPECT_TRUE(k_best_paths(empty, 5).empty());
}

TEST(KBest, OfNoneIsEmpty) {
  Random random(9);
  EXPECT_TRUE(k_best_paths(random_chain(random, 3, 3, false, 10).scores(), 0).empty());
}

}  // namespace
}  // namespace hinge
