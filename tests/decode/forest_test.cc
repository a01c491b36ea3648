// Packed forests against lists of all their trees.
#include "hinge/decode/forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "hinge/core/random.h"

namespace hinge::test {
namespace {

constexpr float kNeverAsFloat = -std::numeric_limits<float>::infinity();
constexpr double kNever = -std::numeric_limits<double>::infinity();

struct ScoredForest {
  Forest forest;
  std::vector<float> scores;  // [edges]

  ScoredForest() { forest.begin.push_back(0); }

  // Adds an edge to the node that has not ended yet.
  void edge(float score, std::uint32_t left = kNoNode, std::uint32_t right = kNoNode) {
    forest.edges.push_back({left, right});
    scores.push_back(score);
  }
  std::uint32_t end_node() {
    forest.begin.push_back(static_cast<std::uint32_t>(forest.edges.size()));
    return static_cast<std::uint32_t>(forest.nodes() - 1);
  }
};

// ---- Enumeration

struct Tree {
  double score;
  std::vector<std::uint32_t> edges;  // parents first, what is on the left before what is on the right
};

constexpr std::size_t kMostTrees = 2000;

std::size_t count_trees(const ScoredForest& f) {
  std::vector<double> counts;
  for (std::size_t v = 0; v < f.forest.nodes(); ++v) {
    double count = 0.0;
    for (std::uint32_t e = f.forest.begin[v]; e < f.forest.begin[v + 1]; ++e) {
      const auto [left, right] = f.forest.edges[e];
      count += (left == kNoNode ? 1.0 : counts[left]) * (right == kNoNode ? 1.0 : counts[right]);
    }
    counts.push_back(std::min(count, 1e9));
  }
  return static_cast<std::size_t>(*std::max_element(counts.begin(), counts.end()));
}

// The trees below every node; those with a score of minus infinity are none.
std::vector<std::vector<Tree>> enumerate(const ScoredForest& f) {
  const std::vector<Tree> nothing{{0.0, {}}};
  std::vector<std::vector<Tree>> trees(f.forest.nodes());
  for (std::size_t v = 0; v < trees.size(); ++v) {
    for (std::uint32_t e = f.forest.begin[v]; e < f.forest.begin[v + 1]; ++e) {
      if (f.scores[e] == kNeverAsFloat) continue;
      const Forest::Tails tails = f.forest.edges[e];
      for (const Tree& left : tails.left == kNoNode ? nothing : trees[tails.left]) {
        for (const Tree& right : tails.right == kNoNode ? nothing : trees[tails.right]) {
          Tree tree{f.scores[e] + left.score + right.score, {e}};
          tree.edges.insert(tree.edges.end(), left.edges.begin(), left.edges.end());
          tree.edges.insert(tree.edges.end(), right.edges.begin(), right.edges.end());
          trees[v].push_back(std::move(tree));
        }
      }
    }
  }
  return trees;
}

std::vector<double> sorted_scores(const std::vector<Tree>& trees) {
  std::vector<double> scores;
  for (const Tree& tree : trees) scores.push_back(tree.score);
  std::sort(scores.rbegin(), scores.rend());
  return scores;
}

// ---- Random forests

struct Kind {
  const char* name;
  double range;            // scores are between minus and plus this
  bool whole = false;      // whole numbers, many of them equal
  double forbidden = 0.0;  // this part of the edges has minus infinity
};

const std::vector<Kind> kKinds = {{"ordinary scores", 3.0},
                                  {"ties", 1.0, true},
                                  {"all equal", 0.0, true},
                                  {"large scores", 1e4},
                                  {"huge scores", 1e30},
                                  {"some forbidden", 3.0, false, 0.2},
                                  {"ties and many forbidden", 2.0, true, 0.5}};

float random_score(Random& random, const Kind& kind) {
  if (random.uniform() < kind.forbidden) return kNeverAsFloat;
  const double score = (2.0 * random.uniform() - 1.0) * kind.range;
  return static_cast<float>(kind.whole ? std::round(score) : score);
}

// Nodes are symbols over spans, as of a parser: no tree reaches a node twice. Some have
// no edges or only edges to such nodes; some edges come twice.
ScoredForest random_spans(Random& random, const Kind& kind) {
  ScoredForest f;
  const std::size_t words = 1 + random.below(5);
  std::vector<std::vector<std::uint32_t>> cells((words + 1) * (words + 1));
  const auto any_of = [&](const std::vector<std::uint32_t>& nodes) {
    return nodes[random.below(nodes.size())];
  };
  for (std::size_t width = 1; width <= words; ++width) {
    for (std::size_t begin = 0; begin + width <= words; ++begin) {
      auto& cell = cells[begin * (words + 1) + begin + width];
      const std::size_t symbols = width == words ? 1 + random.below(2) : random.below(4);
      for (std::size_t symbol = 0; symbol < symbols; ++symbol) {
        for (std::size_t edges = random.below(4); edges > 0; --edges) {
          const std::size_t split = begin + 1 + random.below(width);
          const auto& left = cells[begin * (words + 1) + split];
          const auto& right = cells[split * (words + 1) + begin + width];
          if (width > 1 && !left.empty() && !right.empty()) {
            f.edge(random_score(random, kind), any_of(left), any_of(right));
          } else if (width == 1 && random.below(3) > 0) {
            f.edge(random_score(random, kind));
          } else if (!cell.empty()) {
            f.edge(random_score(random, kind), any_of(cell));
          }
        }
        cell.push_back(f.end_node());
      }
    }
  }
  for (const std::uint32_t top : cells[words]) f.edge(random_score(random, kind), top);
  f.end_node();
  return f;
}

// Any tails. A tree may reach a node twice and build it in two ways.
ScoredForest random_graph(Random& random, const Kind& kind) {
  ScoredForest f;
  for (std::uint32_t node = 0, nodes = 1 + static_cast<std::uint32_t>(random.below(9)); node < nodes;
       ++node) {
    for (std::size_t edges = random.below(4); edges > 0; --edges) {
      const std::size_t tails = node == 0 ? 0 : random.below(3);
      const auto any = [&] { return static_cast<std::uint32_t>(random.below(node)); };
      const std::uint32_t left = tails > 0 ? any() : kNoNode, right = tails > 1 ? any() : kNoNode;
      f.edge(random_score(random, kind), left, right);
    }
    f.end_node();
  }
  return f;
}

// Calls body(forest, its trees) for random forests of all kinds.
template <typename Body>
void each_forest(const Body& body) {
  std::size_t without_tree = 0, used = 0;
  for (const Kind& kind : kKinds) {
    for (std::uint64_t seed = 0; seed < 150; ++seed) {
      SCOPED_TRACE(testing::Message() << kind.name << ", seed " << seed);
      Random random(seed);
      const ScoredForest f = seed % 2 == 0 ? random_spans(random, kind) : random_graph(random, kind);
      if (count_trees(f) > kMostTrees) continue;
      const auto trees = enumerate(f);
      ++used;
      without_tree += trees.back().empty();
      ASSERT_NO_FATAL_FAILURE(body(f, trees));
    }
  }
  EXPECT_GT(used, 150 * kKinds.size() * 3 / 4);
  EXPECT_GT(without_tree, used / 20);
  EXPECT_LT(without_tree, used * 3 / 4);
}

double closeness(double value) { return 1e-12 * std::max(1.0, std::abs(value)); }

double score_of(const ScoredForest& f, const std::vector<std::uint32_t>& edges) {
  double score = 0.0;
  for (const std::uint32_t e : edges) score += f.scores[e];
  return score;
}

bool has_tree(const std::vector<Tree>& trees, const std::vector<std::uint32_t>& edges) {
  return std::any_of(trees.begin(), trees.end(), [&](const Tree& tree) { return tree.edges == edges; });
}

// ---- The best tree

TEST(ForestSearch, FindsTheBestOfAllTreesBelowEveryNode) {
  ForestSearch search;  // one for all, to see that nothing is left over
  std::vector<std::uint32_t> edges;
  each_forest([&](const ScoredForest& f, const std::vector<std::vector<Tree>>& trees) {
    const double score = search.best(f.forest, f.scores, edges);
    ASSERT_EQ(search.inside().size(), f.forest.nodes());
    for (std::size_t v = 0; v < trees.size(); ++v) {
      const std::vector<double> scores = sorted_scores(trees[v]);
      if (scores.empty()) {
        ASSERT_EQ(search.inside()[v], kNever) << "node " << v;
      } else {
        ASSERT_NEAR(search.inside()[v], scores[0], closeness(scores[0])) << "node " << v;
      }
    }
    ASSERT_EQ(score, search.inside().back());
    ASSERT_EQ(edges.empty(), trees.back().empty());
    if (edges.empty()) return;
    ASSERT_TRUE(has_tree(trees.back(), edges));
    ASSERT_NEAR(score_of(f, edges), score, closeness(score) + 1e-12 * std::abs(score_of(f, edges)));
  });
}

TEST(ForestSearch, AlwaysChoosesTheSameOfEqualTrees) {
  ForestSearch reused;
  each_forest([&](const ScoredForest& f, const auto&) {
    std::vector<std::uint32_t> first, second;
    const double score = reused.best(f.forest, f.scores, first);
    ASSERT_EQ(ForestSearch().best(f.forest, f.scores, second), score);
    ASSERT_EQ(first, second);
  });
}

TEST(Forest, WithoutNodesOrEdgesHasNoTree) {
  ScoredForest no_edges;
  no_edges.end_node();
  for (const Forest& forest : {Forest(), ScoredForest().forest, no_edges.forest}) {
    std::vector<std::uint32_t> edges{7};
    EXPECT_EQ(ForestSearch().best(forest, {}, edges), kNever);
    EXPECT_TRUE(edges.empty());
    std::vector<ForestKBest::Tree> trees(1);
    ForestKBest().best(forest, {}, 10, trees);
    EXPECT_TRUE(trees.empty());
    std::vector<float> posteriors(3);
    EXPECT_EQ(ForestSums().run(forest, {}, posteriors), kNever);
    EXPECT_TRUE(posteriors.empty());
  }
}

// ---- The k best trees

// The first of `trees`, all of them different, best first.
void expect_the_k_best(const ScoredForest& f, const std::vector<Tree>& trees, std::size_t k,
                       const std::vector<ForestKBest::Tree>& found) {
  const std::vector<double> scores = sorted_scores(trees);
  ASSERT_EQ(found.size(), std::min(k, trees.size()));
  std::set<std::vector<std::uint32_t>> all, distinct;
  for (const Tree& tree : trees) all.insert(tree.edges);
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    const auto& [score, edges] = found[rank];
    ASSERT_TRUE(all.contains(edges)) << "rank " << rank;
    ASSERT_TRUE(distinct.insert(edges).second) << "rank " << rank << " came before";
    // Terms of a sum may cancel, so the largest says how exact it can be.
    double largest = 1.0;
    for (const std::uint32_t e : edges) largest = std::max<double>(largest, std::abs(f.scores[e]));
    ASSERT_NEAR(score, scores[rank], 1e-13 * largest) << "rank " << rank;
    ASSERT_NEAR(score, score_of(f, edges), 1e-13 * largest) << "rank " << rank;
    ASSERT_TRUE(rank == 0 || score <= found[rank - 1].score) << "rank " << rank;
  }
}

TEST(ForestKBest, ListsAllTreesInOrderIfThereAreFewerThanK) {
  ForestKBest k_best;
  std::vector<ForestKBest::Tree> found;
  each_forest([&](const ScoredForest& f, const std::vector<std::vector<Tree>>& trees) {
    for (const std::size_t k : {trees.back().size(), trees.back().size() + 1, 10 * kMostTrees}) {
      k_best.best(f.forest, f.scores, k, found);
      ASSERT_NO_FATAL_FAILURE(expect_the_k_best(f, trees.back(), k, found)) << "k " << k;
    }
  });
}

TEST(ForestKBest, IsTheBeginningOfTheSortedTrees) {
  ForestKBest k_best;
  std::vector<ForestKBest::Tree> found;
  each_forest([&](const ScoredForest& f, const std::vector<std::vector<Tree>>& trees) {
    for (const std::size_t k : {0, 1, 2, 3, 10, 100}) {
      k_best.best(f.forest, f.scores, k, found);
      ASSERT_NO_FATAL_FAILURE(expect_the_k_best(f, trees.back(), k, found)) << "k " << k;
    }
  });
}

// Also where several trees are equally good: plain prediction and the list agree.
TEST(ForestKBest, BeginsWithWhatTheSearchFinds) {
  each_forest([&](const ScoredForest& f, const std::vector<std::vector<Tree>>& trees) {
    if (trees.back().empty()) return;
    std::vector<std::uint32_t> edges;
    const double score = ForestSearch().best(f.forest, f.scores, edges);
    std::vector<ForestKBest::Tree> found;
    ForestKBest().best(f.forest, f.scores, 4, found);
    ASSERT_EQ(found.at(0).score, score);
    ASSERT_EQ(found[0].edges, edges);
  });
}

// The two trees are equal. The score of the first is s + (l + r), that of the other (s + l) + r, which
// rounding makes larger.
TEST(ForestKBest, HasScoresThatNeverRise) {
  ScoredForest f;
  f.edge(6.95884228e-06f);
  const std::uint32_t left = f.end_node();
  f.edge(1.00453581e+09f);
  f.edge(1.00453581e+09f);
  const std::uint32_t right = f.end_node();
  f.edge(7.42264092e-07f, left, right);
  f.end_node();
  std::vector<ForestKBest::Tree> found;
  ForestKBest().best(f.forest, f.scores, 2, found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_LE(found[1].score, found[0].score);
}

// ---- Sums

struct Totals {
  double log_sum = kNever;
  std::vector<double> posteriors;  // [edges] how often a tree has the edge, on average
};

Totals sums_of(const std::vector<Tree>& trees, std::size_t edges) {
  Totals totals{kNever, std::vector<double>(edges, 0.0)};
  if (trees.empty()) return totals;
  const double high = sorted_scores(trees)[0];
  double sum = 0.0;
  for (const Tree& tree : trees) sum += std::exp(tree.score - high);
  for (const Tree& tree : trees) {
    for (const std::uint32_t e : tree.edges) totals.posteriors[e] += std::exp(tree.score - high) / sum;
  }
  totals.log_sum = high + std::log(sum);
  return totals;
}

TEST(ForestSums, AreThoseOfAllTrees) {
  ForestSums sums;
  std::vector<float> posteriors;
  each_forest([&](const ScoredForest& f, const std::vector<std::vector<Tree>>& trees) {
    // Beyond 1e15, doubles cannot tell scores apart that differ by one.
    for (const float score : f.scores)
      if (std::abs(score) > 1e15f && score != kNeverAsFloat) return;
    const Totals expected = sums_of(trees.back(), f.scores.size());
    const double log_sum = sums.run(f.forest, f.scores, posteriors);
    ASSERT_EQ(posteriors.size(), f.scores.size());
    if (trees.back().empty()) {
      ASSERT_EQ(log_sum, kNever);
    } else {
      ASSERT_NEAR(log_sum, expected.log_sum, closeness(expected.log_sum));
    }
    // Edges of almost no probability may get none.
    for (std::size_t e = 0; e < posteriors.size(); ++e)
      ASSERT_NEAR(posteriors[e], expected.posteriors[e], 1e-5 * expected.posteriors[e] + 1e-11)
          << "edge " << e;
  });
}

TEST(ForestSums, ShareEquallyAmongEqualTreesHoweverGoodTheyAre) {
  for (const float score : {0.0f, 1e6f, -1e6f, 1e9f, -1e9f}) {
    ScoredForest f;
    f.edge(score);
    f.edge(score);
    f.edge(kNeverAsFloat);
    f.edge(score);
    f.end_node();
    std::vector<float> posteriors;
    const double log_sum = ForestSums().run(f.forest, f.scores, posteriors);
    EXPECT_NEAR(log_sum, score + std::log(3.0), closeness(score));
    for (const std::size_t e : {0, 1, 3}) EXPECT_NEAR(posteriors[e], 1.0 / 3.0, 1e-6) << score;
    EXPECT_EQ(posteriors[2], 0.0f);
  }
}

// The other way to build the root leads to a node without trees.
TEST(ForestSums, AreCertainOfTheOnlyTree) {
  ScoredForest f;
  const std::uint32_t without_edges = f.end_node();
  f.edge(-700.0f);
  const std::uint32_t leaf = f.end_node();
  f.edge(kNeverAsFloat);
  const std::uint32_t forbidden = f.end_node();
  f.edge(900.0f, leaf, without_edges);
  f.edge(-800.0f, leaf, leaf);
  f.edge(900.0f, forbidden);
  f.end_node();
  std::vector<float> posteriors;
  EXPECT_DOUBLE_EQ(ForestSums().run(f.forest, f.scores, posteriors), -2200.0);
  EXPECT_EQ(posteriors, (std::vector<float>{2.0f, 0.0f, 0.0f, 1.0f, 0.0f}));  // the leaf is there twice
}

// ---- Deep forests

constexpr std::uint32_t kDeep = 10000;

// Every node is built from the node before it, in a second way worse by its gap unless that is 0. With
// `binary`, a leaf is the other tail.
ScoredForest chain(const std::vector<float>& gaps, bool binary) {
  ScoredForest f;
  std::uint32_t leaf = kNoNode;
  if (binary) {
    f.edge(0.0f);
    leaf = f.end_node();
  }
  std::uint32_t below = kNoNode;
  for (const float gap : gaps) {
    const bool first = below == kNoNode;
    f.edge(1.0f, first ? leaf : below, first ? kNoNode : leaf);
    if (gap > 0.0f) f.edge(1.0f - gap, first ? leaf : below, first ? kNoNode : leaf);
    below = f.end_node();
  }
  return f;
}

// 0 except at every `step`-th node.
std::vector<float> random_gaps(std::uint64_t seed, std::size_t nodes, std::size_t step) {
  Random random(seed);
  std::vector<float> gaps(nodes, 0.0f);
  for (std::size_t node = 0; node < nodes; node += step)
    gaps[node] = static_cast<float>(1 + random.below(1000));
  return gaps;
}

TEST(ForestSearch, GoesTenThousandNodesDeep) {
  for (const bool binary : {false, true}) {
    const ScoredForest f = chain(random_gaps(1, kDeep, 1), binary);
    std::vector<std::uint32_t> edges;
    EXPECT_EQ(ForestSearch().best(f.forest, f.scores, edges), 1.0 * kDeep) << "seed 1";
    EXPECT_EQ(edges.size(), binary ? 2 * kDeep : kDeep);
  }
}

// The least sums of gaps, each taken or not.
std::vector<double> least_sums(const std::vector<float>& gaps, std::size_t k) {
  std::vector<double> least{0.0};
  for (const float gap : gaps) {
    if (gap == 0.0f) continue;
    for (std::size_t i = 0, n = least.size(); i < n; ++i) least.push_back(least[i] + gap);
    std::sort(least.begin(), least.end());
    least.resize(std::min(k, least.size()));
  }
  return least;
}

void expect_the_k_best_of_chains(const std::vector<float>& gaps, std::size_t k) {
  const std::vector<double> least = least_sums(gaps, k);
  for (const bool binary : {false, true}) {
    const ScoredForest f = chain(gaps, binary);
    std::vector<ForestKBest::Tree> found;
    ForestKBest().best(f.forest, f.scores, k, found);
    ASSERT_EQ(found.size(), least.size());
    for (std::size_t rank = 0; rank < found.size(); ++rank)
      EXPECT_EQ(found[rank].score, static_cast<double>(gaps.size()) - least[rank]) << "rank " << rank;
  }
}

void expect_the_k_best_of_chains(std::uint32_t nodes) {
  for (const std::size_t k : {1, 20, 1100}) {
    SCOPED_TRACE(testing::Message() << "k " << k << ", seed 2");
    ASSERT_NO_FATAL_FAILURE(expect_the_k_best_of_chains(std::vector<float>(nodes, 0.0f), k));
    ASSERT_NO_FATAL_FAILURE(expect_the_k_best_of_chains(random_gaps(2, nodes, nodes / 10), k));
  }
}

// As deep as the trees of the longest sentences of a parser.
TEST(ForestKBest, GoesFourThousandNodesDeep) { expect_the_k_best_of_chains(4000); }

// The list is built by recursion, which overflows the stack of a build without optimization.
TEST(ForestKBest, GoesTenThousandNodesDeep) { expect_the_k_best_of_chains(kDeep); }

TEST(ForestKBest, IsRightWhereEveryNodeOfALongChainHasTwoWays) {
  for (const std::size_t k : {1, 20, 200}) {
    SCOPED_TRACE(testing::Message() << "k " << k << ", seed 4");
    ASSERT_NO_FATAL_FAILURE(expect_the_k_best_of_chains(random_gaps(4, 500, 1), k));
  }
}

TEST(ForestSums, GoTenThousandNodesDeep) {
  const std::vector<float> gaps = random_gaps(3, kDeep, 1);
  double log_sum = kDeep;
  for (const float gap : gaps) log_sum += std::log1p(std::exp(-gap));
  for (const bool binary : {false, true}) {
    const ScoredForest f = chain(gaps, binary);
    std::vector<float> posteriors;
    EXPECT_NEAR(ForestSums().run(f.forest, f.scores, posteriors), log_sum, 1e-8 * log_sum) << "seed 3";
    for (std::uint32_t node = 0; node < kDeep; ++node) {
      const double second = 1.0 / (1.0 + std::exp(gaps[node]));
      const std::size_t e = (binary ? 1 : 0) + 2 * node;
      ASSERT_NEAR(posteriors[e], 1.0 - second, 1e-5) << "node " << node;
      ASSERT_NEAR(posteriors[e + 1], second, 1e-5 * second + 1e-11) << "node " << node;
    }
  }
}

}  // namespace
}  // namespace hinge::test
