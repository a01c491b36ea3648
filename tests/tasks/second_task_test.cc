// Candidates, which only SecondTask has. tree_task_test.cc has the other tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/support/tree_world.h"

namespace hinge::test {
namespace {

TEST(SecondTask, OffersNeitherListsNorSums) {
  const TreeWorld world({.name = "", .options = {.order = 2}}, 1);
  EXPECT_EQ(find_extension<KBestTask>(world.task()), nullptr);
  EXPECT_EQ(find_extension<MarginalTask>(world.task()), nullptr);
}

using Arcs = std::set<std::pair<HeadId, HeadId>>;

Arcs chosen(const ArcMatrix& arcs, const Heads& best, const Heads& keep, std::size_t most) {
  std::vector<SecondOrderScores::Arc> list{{7, 7}};  // left over from an earlier sentence
  dep::choose_arcs(arcs.scores(true), best, keep, most, list);
  Arcs result;
  std::pair<HeadId, HeadId> last{0, 0};
  for (const auto& [head, modifier] : list) {
    EXPECT_TRUE((std::pair{head, modifier} > last)) << "not sorted, or twice";
    last = {head, modifier};
    result.insert(last);
  }
  return result;
}

TEST(ChooseArcs, KeepsTheBestHeadsOfEachWordAndTheArcsOfTwoTrees) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const std::size_t words = 1 + random.below(6);
    ArcMatrix arcs = random_arcs_with_ties(random, words, 3);
    forbid_some(random, arcs, 4);
    const auto& trees = all_trees(words, {});
    const Heads best = trees[random.below(trees.size())];
    const Heads keep = seed % 3 == 0 ? Heads() : trees[random.below(trees.size())];
    for (const std::size_t most : {1, 2, 4, 10}) {
      Arcs expected;
      for (HeadId m = 1; m <= words; ++m) {
        std::vector<std::pair<float, HeadId>> heads;
        for (HeadId h = 0; h <= words; ++h) {
          if (h != m && arcs.at(h, m) > kForbidden / 2) heads.emplace_back(-arcs.at(h, m), h);
        }
        std::ranges::sort(heads);
        for (std::size_t k = 0; k < std::min(most, heads.size()); ++k) expected.insert({heads[k].second, m});
        expected.insert({best[m], m});
        if (!keep.empty()) expected.insert({keep[m], m});
      }
      EXPECT_EQ(chosen(arcs, best, keep, most), expected) << most;
    }
  }
}

}  // namespace
}  // namespace hinge::test
