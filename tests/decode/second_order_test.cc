// Second-order trees against enumeration of all projective trees, scored here
// directly from the definition of the parts.
#include "hinge/decode/second_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "hinge/core/random.h"

namespace hinge::test {
namespace {

using Heads = std::vector<std::uint32_t>;  // [words + 1], the first is 0
using Arc = SecondOrderScores::Arc;

constexpr double kNever = -std::numeric_limits<double>::infinity();

bool reaches_root(const Heads& heads, std::uint32_t word) {
  for (std::size_t steps = 0; steps < heads.size() && word != 0; ++steps) word = heads[word];
  return word == 0;
}

bool is_below(const Heads& heads, std::uint32_t word, std::uint32_t ancestor) {
  while (word != 0 && word != ancestor) word = heads[word];
  return word == ancestor;
}

// Every word between a head and its child descends from that head.
bool is_projective_tree(const Heads& heads) {
  for (std::uint32_t m = 1; m < heads.size(); ++m) {
    if (!reaches_root(heads, m)) return false;
  }
  for (std::uint32_t m = 1; m < heads.size(); ++m) {
    const auto [low, high] = std::minmax(m, heads[m]);
    for (std::uint32_t between = low + 1; between < high; ++between) {
      if (!is_below(heads, between, heads[m])) return false;
    }
  }
  return true;
}

std::vector<Heads> all_projective_trees(std::size_t words) {
  std::vector<Heads> trees;
  Heads heads(words + 1, 0);
  while (true) {
    if (is_projective_tree(heads)) trees.push_back(heads);
    std::size_t m = 1;
    while (m <= words && heads[m] == words) heads[m++] = 0;
    if (m > words) return trees;
    ++heads[m];
  }
}

const std::vector<Heads>& projective_trees(std::size_t words) {
  static std::vector<std::vector<Heads>> trees;
  while (trees.size() <= words) trees.push_back(all_projective_trees(trees.size()));
  return trees[words];
}

std::size_t roots(const Heads& heads) {
  return static_cast<std::size_t>(std::count(heads.begin() + 1, heads.end(), 0u));
}

std::uint32_t find_arc(const SecondOrderScores& s, std::uint32_t head, std::uint32_t modifier) {
  for (std::uint32_t a = 0; a < s.arcs.size(); ++a) {
    if (s.arcs[a].head == head && s.arcs[a].modifier == modifier) return a;
  }
  return kNoPart;
}

bool has_all_arcs(const SecondOrderScores& s, const Heads& heads) {
  for (std::uint32_t m = 1; m < heads.size(); ++m) {
    if (find_arc(s, heads[m], m) == kNoPart) return false;
  }
  return true;
}

// The score in `scores` of the part that joins `arc` with `other`.
double part_score(const std::vector<std::uint32_t>& begin, const std::vector<std::uint32_t>& others,
                  const std::vector<float>& scores, std::uint32_t arc, std::uint32_t other) {
  for (std::uint32_t p = begin[arc]; p < begin[arc + 1]; ++p) {
    if (others[p] == other) return scores[p];
  }
  ADD_FAILURE() << "no part joins arcs " << arc << " and " << other;
  return kNever;
}

// One side of one head: its children from the innermost outwards.
double score_side(const SecondOrderScores& s, std::uint32_t head, const Heads& children) {
  double score = 0.0;
  std::uint32_t inner = kNoPart;
  for (const std::uint32_t m : children) {
    const std::uint32_t arc = find_arc(s, head, m);
    score +=
        inner == kNoPart ? s.first[arc] : part_score(s.sibling_begin, s.sibling_arc, s.sibling, arc, inner);
    inner = arc;
  }
  if (inner != kNoPart && !s.last.empty()) score += s.last[inner];
  return score;
}

double score_by_definition(const SecondOrderScores& s, const Heads& heads) {
  if (!has_all_arcs(s, heads)) return kNever;
  double score = 0.0;
  for (std::uint32_t h = 0; h < heads.size(); ++h) {
    Heads left, right;
    for (std::uint32_t m = 1; m < heads.size(); ++m) {
      if (heads[m] == h) (m < h ? left : right).push_back(m);
    }
    std::reverse(left.begin(), left.end());
    score += score_side(s, h, left) + score_side(s, h, right);
  }
  for (std::uint32_t m = 1; m < heads.size(); ++m) {
    const std::uint32_t arc = find_arc(s, heads[m], m);
    score += s.arc[arc];
    if (heads[m] == 0) continue;
    score += part_score(s.grand_begin, s.grand_arc, s.grand, arc, find_arc(s, heads[heads[m]], heads[m]));
  }
  return score;
}

double best_by_enumeration(const SecondOrderScores& s) {
  double best = kNever;
  for (const Heads& heads : projective_trees(s.words)) {
    if (!s.single_root || roots(heads) == 1) best = std::max(best, score_by_definition(s, heads));
  }
  return best;
}

// Each arc with the given probability, and all arcs of the tree `sure`, if given.
SecondOrderScores random_candidates(Random& random, std::size_t words, double chance,
                                    const Heads& sure = {}) {
  SecondOrderScores s;
  s.words = words;
  for (std::uint32_t h = 0; h <= words; ++h) {
    for (std::uint32_t m = 1; m <= words; ++m) {
      const bool keep = random.uniform() < chance || (!sure.empty() && sure[m] == h);
      if (h != m && keep) s.arcs.push_back({h, m});
    }
  }
  make_parts(s);
  return s;
}

enum class Draw { real, integer };

void draw_scores(Random& random, SecondOrderScores& s, Draw draw, bool with_last) {
  if (with_last) s.last.resize(s.arcs.size());
  for (std::vector<float>* scores : {&s.arc, &s.first, &s.sibling, &s.last, &s.grand}) {
    for (float& x : *scores) {
      x = draw == Draw::real ? static_cast<float>(8.0 * random.uniform() - 4.0)
                             : static_cast<float>(random.below(5)) - 2.0f;
    }
  }
}

// Makes words lo .. hi descendants of `head`: a sequence of children, each with
// the words around it as descendants.
void random_subtrees(Random& random, std::size_t lo, std::size_t hi, std::size_t head, Heads& heads) {
  while (lo <= hi) {
    const std::size_t end = lo + random.below(hi - lo + 1);
    const std::size_t m = lo + random.below(end - lo + 1);
    heads[m] = static_cast<std::uint32_t>(head);
    random_subtrees(random, lo, m - 1, m, heads);
    random_subtrees(random, m + 1, end, m, heads);
    lo = end + 1;
  }
}

Heads random_projective_tree(Random& random, std::size_t words) {
  Heads heads(words + 1, 0);
  const std::size_t root = 1 + random.below(words);
  random_subtrees(random, 1, root - 1, root, heads);
  random_subtrees(random, root + 1, words, root, heads);
  return heads;
}

void expect_best(SecondOrderDecoder& decoder, const SecondOrderScores& s) {
  Heads heads(s.words + 1, 77);
  const double expected = best_by_enumeration(s);
  const double score = decoder.best(s, heads);
  if (expected == kNever) {
    ASSERT_EQ(score, kNever);
    return;
  }
  ASSERT_NEAR(score, expected, 1e-9);
  ASSERT_EQ(heads[0], 0u);
  ASSERT_TRUE(is_projective_tree(heads));
  ASSERT_NEAR(score_by_definition(s, heads), expected, 1e-9);
  ASSERT_EQ(score_of(s, heads), score);
  if (s.single_root) {
    ASSERT_EQ(roots(heads), 1u);
  }
}

TEST(SecondOrder, AgreesWithEnumerationOfAllTreesOfUpToSixWords) {
  SecondOrderDecoder decoder;
  std::size_t without_tree = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const std::size_t words = 1 + random.below(6);
    const double chance = seed % 4 == 0 ? 1.0 : 0.2 + 0.7 * random.uniform();
    SecondOrderScores s = random_candidates(random, words, chance);
    draw_scores(random, s, seed % 3 == 0 ? Draw::integer : Draw::real, random.below(2) == 0);
    s.single_root = random.below(2) == 0;
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    expect_best(decoder, s);
    if (testing::Test::HasFatalFailure()) return;
    without_tree += best_by_enumeration(s) == kNever;
  }
  EXPECT_GT(without_tree, 100u);
  EXPECT_LT(without_tree, 1000u);
}

TEST(SecondOrder, WithoutSecondOrderScoresFindsTheBestSumOfArcs) {
  SecondOrderDecoder decoder;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    SecondOrderScores s = random_candidates(random, 1 + random.below(6), 1.0);
    s.single_root = seed % 2 == 0;
    for (float& x : s.arc) x = static_cast<float>(random.uniform());
    double expected = kNever;
    for (const Heads& heads : projective_trees(s.words)) {
      if (s.single_root && roots(heads) != 1) continue;
      double sum = 0.0;
      for (std::uint32_t m = 1; m <= s.words; ++m) sum += s.arc[find_arc(s, heads[m], m)];
      expected = std::max(expected, sum);
    }
    Heads heads(s.words + 1);
    ASSERT_NEAR(decoder.best(s, heads), expected, 1e-9) << "seed " << seed;
  }
}

SecondOrderScores from_arcs(std::size_t words, std::vector<Arc> arcs) {
  SecondOrderScores s;
  s.words = words;
  s.arcs = std::move(arcs);
  make_parts(s);
  return s;
}

TEST(SecondOrder, SaysThatThereIsNoTree) {
  SecondOrderDecoder decoder;
  Heads heads(5);
  EXPECT_EQ(decoder.best(from_arcs(1, {}), heads), kNever);
  EXPECT_EQ(decoder.best(from_arcs(2, {{0, 1}}), heads), kNever);          // 2 has no head
  EXPECT_EQ(decoder.best(from_arcs(2, {{1, 2}, {2, 1}}), heads), kNever);  // the root has no child
  // The only tree has crossing arcs.
  EXPECT_EQ(decoder.best(from_arcs(4, {{0, 2}, {1, 3}, {2, 4}, {4, 1}}), heads), kNever);
  SecondOrderScores two_roots = from_arcs(2, {{0, 1}, {0, 2}});
  EXPECT_EQ(decoder.best(two_roots, heads), 0.0);
  two_roots.single_root = true;
  EXPECT_EQ(decoder.best(two_roots, heads), kNever);
}

TEST(SecondOrder, FindsTheTreeWhateverTheSizeOfFiniteScores) {
  SecondOrderScores s = from_arcs(3, {{0, 1}, {1, 2}, {2, 3}});
  std::fill(s.arc.begin(), s.arc.end(), std::numeric_limits<float>::lowest());
  std::fill(s.grand.begin(), s.grand.end(), std::numeric_limits<float>::lowest());
  Heads heads(4);
  EXPECT_EQ(SecondOrderDecoder().best(s, heads), 5.0 * std::numeric_limits<float>::lowest());
  EXPECT_EQ(heads, (Heads{0, 0, 1, 2}));
}

TEST(SecondOrder, GivesNoWordsTheEmptyTree) {
  SecondOrderScores s = from_arcs(0, {});
  Heads heads(1, 7);
  EXPECT_EQ(SecondOrderDecoder().best(s, heads), 0.0);
  EXPECT_EQ(heads[0], 0u);
  s.single_root = true;  // but no word can be the root's child
  EXPECT_EQ(SecondOrderDecoder().best(s, heads), kNever);
}

TEST(SecondOrder, FindsInLongSentencesATreeAtLeastAsGoodAsAKnownOne) {
  SecondOrderDecoder decoder;
  for (const std::size_t words : {150u, 40u, 500u}) {  // buffers shrink and grow
    for (const bool single_root : {false, true}) {
      Random random(words);
      const Heads known = random_projective_tree(random, words);
      ASSERT_TRUE(is_projective_tree(known));
      SecondOrderScores s = random_candidates(random, words, 7.0 / static_cast<double>(words), known);
      draw_scores(random, s, Draw::real, true);
      s.single_root = single_root;
      Heads heads(words + 1);
      const double score = decoder.best(s, heads);
      EXPECT_GE(score, score_of(s, known));
      EXPECT_TRUE(is_projective_tree(heads));
      EXPECT_TRUE(has_all_arcs(s, heads));
      EXPECT_NEAR(score_by_definition(s, heads), score, 1e-9 * std::abs(score));
      if (single_root) {
        EXPECT_EQ(roots(heads), 1u);
      }
    }
  }
}

// The tree with a bonus on every part must win.
TEST(SecondOrder, RecoversATreeWhoseEveryPartIsRewarded) {
  SecondOrderDecoder decoder;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const std::size_t words = 20 + random.below(60);
    const Heads known = random_projective_tree(random, words);
    SecondOrderScores s = random_candidates(random, words, 0.1, known);
    draw_scores(random, s, Draw::real, true);
    each_part(s, known, [&](TreePart kind, std::uint32_t k) {
      if (kind == TreePart::sibling) s.sibling[k] += 100.0f;
      if (kind == TreePart::first) s.first[k] += 100.0f;
      if (kind == TreePart::grand) s.grand[k] += 100.0f;
    });
    Heads heads(words + 1);
    EXPECT_EQ(decoder.best(s, heads), score_of(s, known)) << "seed " << seed;
    EXPECT_EQ(heads, known) << "seed " << seed;
  }
}

TEST(SecondOrder, VisitsThePartsThatMakeUpTheScoreOfAnyTree) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    Random random(seed);
    const std::size_t words = 1 + random.below(8);
    SecondOrderScores s = random_candidates(random, words, seed % 2 == 0 ? 1.0 : 0.8);
    draw_scores(random, s, Draw::real, seed % 3 != 0);
    Heads heads(words + 1, 0);
    do {
      for (std::size_t m = 1; m <= words; ++m) heads[m] = static_cast<std::uint32_t>(random.below(words + 1));
    } while (!std::all_of(heads.begin(), heads.end(), [&](auto m) { return reaches_root(heads, m); }));
    const double expected = score_by_definition(s, heads);
    ASSERT_EQ(score_of(s, heads) == kNever, expected == kNever);
    double sum = 0.0;
    std::size_t parts = 0;
    const bool whole = each_part(s, heads, [&](TreePart kind, std::uint32_t k) {
      ++parts;
      sum += kind == TreePart::arc       ? s.arc[k]
             : kind == TreePart::first   ? s.first[k]
             : kind == TreePart::sibling ? s.sibling[k]
             : kind == TreePart::grand   ? s.grand[k]
             : s.last.empty()            ? 0.0f
                                         : s.last[k];
    });
    ASSERT_EQ(whole, expected != kNever);
    if (!whole) continue;
    ASSERT_NEAR(sum, expected, 1e-9) << "seed " << seed;
    ASSERT_NEAR(score_of(s, heads), expected, 1e-9) << "seed " << seed;
    ASSERT_GE(parts, 3 * words - roots(heads));
  }
}

TEST(SecondOrder, MakesPartsInTheirOrder) {
  //                                   0       1       2       3       4       5
  const SecondOrderScores s = from_arcs(3, {{0, 3}, {1, 2}, {1, 3}, {2, 1}, {3, 1}, {3, 2}});
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(s.sibling_begin, (List{0, 0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(s.sibling_arc, (List{1, 5}));
  // Grandparents: of (1, 2) 3, not 2; of (1, 3) 2; of (2, 1) 3; of (3, 1) the root; of (3, 2) the root
  // and 1.
  EXPECT_EQ(s.grand_begin, (List{0, 0, 1, 2, 3, 4, 6}));
  EXPECT_EQ(s.grand_arc, (List{4, 3, 5, 0, 0, 2}));
  EXPECT_EQ(s.sibling.size(), 2u);
  EXPECT_EQ(s.grand.size(), 6u);
  EXPECT_TRUE(s.last.empty());

  const SecondOrderScores wide = from_arcs(4, {{0, 1}, {0, 2}, {0, 3}, {4, 1}, {4, 2}, {4, 3}});
  EXPECT_EQ(wide.sibling_begin, (List{0, 0, 1, 3, 5, 6, 6}));
  EXPECT_EQ(wide.sibling_arc, (List{0, 0, 1, 5, 4, 5}));
}

}  // namespace
}  // namespace hinge::test
