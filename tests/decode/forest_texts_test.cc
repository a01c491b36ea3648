// The best trees with different texts against lists of all trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "hinge/core/random.h"
#include "hinge/decode/forest.h"

namespace hinge::test {
namespace {

using Text = std::vector<std::uint64_t>;

struct Pieces {
  Text before, between, after;
  bool swapped = false;
};

struct TextForest {
  Forest forest;
  std::vector<float> scores;     // [edges]
  std::vector<Pieces> pieces;    // [edges]
  std::vector<EdgeText> hashes;  // [edges]
};

SequenceHash hash_of(const Text& text) {
  SequenceHash hash;
  for (const std::uint64_t symbol : text) hash = hash.then(SequenceHash::of(symbol));
  return hash;
}

Text random_piece(Random& random, std::size_t symbols) {
  Text text;
  while (random.below(2) == 0) text.push_back(random.below(symbols));
  return text;
}

struct Kind {
  std::size_t symbols;  // few: many trees have the same text
  bool whole = false;   // whole scores, many of them equal
};

TextForest random_forest(Random& random, const Kind& kind) {
  TextForest f;
  f.forest.begin.push_back(0);
  const auto nodes = static_cast<std::uint32_t>(1 + random.below(8));
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (std::size_t edges = random.below(5); edges > 0; --edges) {
      const std::size_t tails = node == 0 ? 0 : random.below(3);
      const auto any = [&] { return static_cast<std::uint32_t>(random.below(node)); };
      const std::uint32_t left = tails > 0 ? any() : kNoNode, right = tails > 1 ? any() : kNoNode;
      f.forest.edges.push_back({left, right});
      const double score = 6.0 * random.uniform() - 3.0;
      f.scores.push_back(static_cast<float>(kind.whole ? std::round(score) : score));
      Pieces pieces;
      pieces.before = random_piece(random, kind.symbols);
      if (tails > 0) pieces.between = random_piece(random, kind.symbols);
      if (tails > 1) pieces.after = random_piece(random, kind.symbols);
      pieces.swapped = tails > 1 && random.below(2) == 0;
      f.hashes.push_back(
          {hash_of(pieces.before), hash_of(pieces.between), hash_of(pieces.after), pieces.swapped});
      f.pieces.push_back(pieces);
    }
    f.forest.begin.push_back(static_cast<std::uint32_t>(f.forest.edges.size()));
  }
  return f;
}

// ---- Enumeration

struct Tree {
  double score;
  Text text;
  std::vector<std::uint32_t> edges;  // parents first
};

void append(const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); }

Tree joined(const TextForest& f, std::uint32_t e, const Tree& left, const Tree& right) {
  Tree tree{f.scores[e] + left.score + right.score, {}, {e}};
  append(left.edges, tree.edges);
  append(right.edges, tree.edges);
  const Pieces& pieces = f.pieces[e];
  append(pieces.before, tree.text);
  append((pieces.swapped ? right : left).text, tree.text);
  append(pieces.between, tree.text);
  append((pieces.swapped ? left : right).text, tree.text);
  append(pieces.after, tree.text);
  return tree;
}

constexpr std::size_t kMostTrees = 3000;

// The trees of the root; none if there are too many.
std::vector<Tree> all_trees(const TextForest& f) {
  const std::vector<Tree> nothing{{0.0, {}, {}}};
  std::vector<std::vector<Tree>> trees(f.forest.nodes());
  for (std::size_t v = 0; v < trees.size(); ++v) {
    for (std::uint32_t e = f.forest.begin[v]; e < f.forest.begin[v + 1]; ++e) {
      const auto [left_node, right_node] = f.forest.edges[e];
      for (const Tree& left : left_node == kNoNode ? nothing : trees[left_node]) {
        for (const Tree& right : right_node == kNoNode ? nothing : trees[right_node])
          trees[v].push_back(joined(f, e, left, right));
        if (trees[v].size() > kMostTrees) return {};
      }
    }
  }
  return trees.back();
}

// ---- Tests

void expect_best_of_each_text(const TextForest& f, const std::vector<Tree>& trees, ForestKBest& k_best) {
  std::map<Text, double> best;
  std::map<std::vector<std::uint32_t>, const Tree*> by_edges;
  for (const Tree& tree : trees) {
    const auto [place, is_new] = best.try_emplace(tree.text, tree.score);
    place->second = std::max(place->second, tree.score);
    by_edges[tree.edges] = &tree;
  }
  std::vector<double> expected;
  for (const auto& [text, score] : best) expected.push_back(score);
  std::sort(expected.rbegin(), expected.rend());
  k_best.begin(f.forest, f.scores, f.hashes);
  std::set<Text> found;
  ForestKBest::Tree next;
  for (double last = std::numeric_limits<double>::infinity(); k_best.next(next); last = next.score) {
    ASSERT_LT(found.size(), expected.size());
    EXPECT_NEAR(next.score, expected[found.size()], 1e-9);
    EXPECT_LE(next.score, last);
    ASSERT_TRUE(by_edges.contains(next.edges));
    const Tree& tree = *by_edges.at(next.edges);
    EXPECT_NEAR(next.score, tree.score, 1e-9);
    EXPECT_NEAR(next.score, best.at(tree.text), 1e-9) << "not the best with its text";
    EXPECT_TRUE(found.insert(tree.text).second) << "a text comes twice";
  }
  EXPECT_EQ(found.size(), expected.size());
  EXPECT_FALSE(k_best.next(next)) << "the end stays the end";
}

TEST(ForestTexts, TheBestTreeOfEachTextComesInOrder) {
  ForestKBest k_best;  // one for all, to see that nothing is left over
  std::size_t used = 0, with_equal_texts = 0;
  for (const Kind& kind : {Kind{1}, Kind{2}, Kind{5}, Kind{2, true}, Kind{1000, true}}) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
      SCOPED_TRACE(testing::Message() << kind.symbols << " symbols, seed " << seed);
      Random random(seed);
      const TextForest f = random_forest(random, kind);
      const std::vector<Tree> trees = all_trees(f);
      if (trees.empty()) continue;
      ++used;
      std::set<Text> texts;
      for (const Tree& tree : trees) texts.insert(tree.text);
      with_equal_texts += texts.size() < trees.size();
      ASSERT_NO_FATAL_FAILURE(expect_best_of_each_text(f, trees, k_best));
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(used, 500u);
  EXPECT_GT(with_equal_texts, 200u);
}

TEST(ForestTexts, WithoutTextsAllTreesCome) {
  ForestKBest k_best;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Random random(seed);
    const TextForest f = random_forest(random, {1});
    const std::vector<Tree> trees = all_trees(f);
    if (trees.empty()) continue;
    k_best.begin(f.forest, f.scores);
    std::set<std::vector<std::uint32_t>> found;
    for (ForestKBest::Tree next; k_best.next(next);) EXPECT_TRUE(found.insert(next.edges).second);
    EXPECT_EQ(found.size(), trees.size());
  }
}

// ---- Hashes

TEST(SequenceHash, DoesNotDependOnHowASequenceIsPutTogether) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    Text text;
    for (std::uint64_t n = random.below(12); n > 0; --n)
      text.push_back(random.below(3) == 0 ? random.bits() : random.below(4));
    const SequenceHash whole = hash_of(text);
    const std::size_t a = random.below(text.size() + 1), b = a + random.below(text.size() - a + 1);
    const auto piece = [&](std::size_t begin, std::size_t end) {
      return hash_of(Text(text.begin() + static_cast<std::ptrdiff_t>(begin),
                          text.begin() + static_cast<std::ptrdiff_t>(end)));
    };
    const SequenceHash first = piece(0, a), second = piece(a, b), third = piece(b, text.size());
    EXPECT_EQ(first.then(second).then(third), whole);
    EXPECT_EQ(first.then(second.then(third)), whole);
    EXPECT_EQ(SequenceHash().then(whole), whole);
    EXPECT_EQ(whole.then(SequenceHash()), whole);
  }
}

TEST(SequenceHash, TellsSequencesApart) {
  std::set<std::uint64_t> hashes;
  std::set<std::pair<std::uint64_t, std::uint64_t>> all;
  std::vector<Text> texts = {{}};
  for (std::size_t i = 0; i < texts.size() && texts.size() < 100'000; ++i) {
    for (std::uint64_t symbol = 0; symbol < 4; ++symbol) {
      texts.push_back(texts[i]);
      texts.back().push_back(symbol);
    }
  }
  for (const Text& text : texts) {
    const SequenceHash hash = hash_of(text);
    all.emplace(hash.hash, hash.power);
    hashes.insert(hash.hash);
  }
  EXPECT_EQ(all.size(), texts.size());
  EXPECT_EQ(hashes.size(), texts.size()) << "also without their lengths";
}

}  // namespace
}  // namespace hinge::test
