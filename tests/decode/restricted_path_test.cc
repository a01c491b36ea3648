// The best and worst sequence of allowed label pairs against a list of all sequences.
#include "hinge/decode/restricted_path.h"

#include <gtest/gtest.h>

#include <limits>

#include "hinge/core/random.h"
#include "tests/support/score_chain.h"

namespace hinge::test {
namespace {

// Multiples of 1/8, exact in any order of addition.
Chain random_chain(Random& random, std::size_t tokens, std::size_t labels, bool edges_by_token) {
  Chain chain{tokens, labels, edges_by_token, {}, {}};
  chain.node.resize(tokens * chain.stride());
  chain.edge.resize(chain.matrices() * labels * chain.stride());
  const auto draw = [&random](float& score) { score = (static_cast<float>(random.below(65)) - 32.0f) / 8; };
  chain.each_node(draw);
  chain.each_edge(draw);
  return chain;
}

TEST(RestrictedPath, IsTheHighestOrLowestOfAllSequencesOfAllowedPairs) {
  RestrictedPath search;  // one for all, to see that nothing is left over
  std::vector<LabelId> path;
  std::size_t found = 0, rounds = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t tokens = 1 + random.below(4), labels = 1 + random.below(4);
    const Chain chain = random_chain(random, tokens, labels, random.below(2) == 0);
    const double share = random.uniform();
    std::vector<LabelPair> allowed;
    std::vector<bool> is_allowed(tokens * labels * labels);
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t from = 0; from < (t > 0 ? labels : 1); ++from) {
        for (std::size_t to = 0; to < labels; ++to) {
          if (random.uniform() < share) continue;
          allowed.push_back(
              {static_cast<std::uint32_t>(t), static_cast<LabelId>(from), static_cast<LabelId>(to)});
          is_allowed[(t * labels + from) * labels + to] = true;
        }
      }
    }
    double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
    const auto is_made_of_them = [&](const Path& sequence) {
      for (std::size_t t = 0; t < tokens; ++t) {
        const std::size_t from = t > 0 ? sequence[t - 1] : 0;
        if (!is_allowed[(t * labels + from) * labels + sequence[t]]) return false;
      }
      return true;
    };
    each_sequence(chain, [&](const Path& sequence) {
      if (!is_made_of_them(sequence)) return;
      lowest = std::min(lowest, chain.score(sequence));
      highest = std::max(highest, chain.score(sequence));
    });
    const bool any = search.worst(chain.scores(), allowed, path);
    ASSERT_EQ(any, lowest < std::numeric_limits<double>::infinity());
    ++rounds;
    found += any;
    if (!any) continue;
    ASSERT_TRUE(is_made_of_them(path));
    ASSERT_EQ(chain.score(path), lowest);
    ASSERT_TRUE(search.best(chain.scores(), allowed, path));
    ASSERT_TRUE(is_made_of_them(path));
    ASSERT_EQ(chain.score(path), highest);
  }
  EXPECT_GT(found, rounds / 4);
  EXPECT_LT(found, rounds);
}

TEST(RestrictedPath, OfNoTokensThereIsNone) {
  std::vector<LabelId> path;
  EXPECT_FALSE(RestrictedPath().worst({.tokens = 0, .labels = 2, .stride = 16}, {}, path));
}

}  // namespace
}  // namespace hinge::test
