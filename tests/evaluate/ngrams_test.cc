#include "hinge/evaluate/ngrams.h"

#include <gtest/gtest.h>

#include <map>

#include "hinge/core/random.h"

namespace hinge {
namespace {

using Symbols = std::vector<std::uint32_t>;
using Counts = std::map<Symbols, std::uint32_t>;

Counts count(const Symbols& symbols, std::size_t order) {
  Counts counts;
  for (std::size_t begin = 0; begin < symbols.size(); ++begin) {
    for (std::size_t end = begin + 1; end <= std::min(begin + order, symbols.size()); ++end) {
      const auto first = symbols.begin();
      ++counts[Symbols(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end))];
    }
  }
  return counts;
}

Symbols match_by_map(const std::vector<Symbols>& references, const Symbols& symbols, std::size_t order) {
  Counts limits;
  for (const Symbols& reference : references) {
    for (const auto& [ngram, times] : count(reference, order)) limits[ngram] = std::max(limits[ngram], times);
  }
  Symbols matches(order);
  for (const auto& [ngram, times] : count(symbols, order)) {
    matches[ngram.size() - 1] += std::min(times, limits[ngram]);
  }
  return matches;
}

Symbols draw(Random& random, std::size_t longest, std::size_t alphabet) {
  Symbols symbols(random.below(longest + 1));
  for (std::uint32_t& symbol : symbols) symbol = static_cast<std::uint32_t>(random.below(alphabet));
  return symbols;
}

TEST(Ngrams, MatchAsAMapOfThemSays) {
  Random random(11);
  for (const std::size_t order : {1, 2, 4, 6}) {
    NgramTable table(order);
    for (int round = 0; round < 300; ++round) {
      const std::size_t longest = round % 50 == 0 ? 400 : 12;  // makes the table grow
      const std::size_t alphabet = 2 + random.below(20);
      std::vector<Symbols> references(1 + random.below(3));
      table.clear();
      for (Symbols& reference : references) {
        reference = draw(random, longest, alphabet);
        table.add(reference);
      }
      for (int hypothesis = 0; hypothesis < 5; ++hypothesis) {
        const Symbols symbols = draw(random, longest, alphabet + 1);
        Symbols matches(order);
        table.match(symbols, matches);
        ASSERT_EQ(matches, match_by_map(references, symbols, order))
            << "order " << order << " round " << round;
      }
    }
  }
}

TEST(Ngrams, AddToTheMatchesThereAre) {
  NgramTable table(2);
  table.add(Symbols{7, 8});
  Symbols matches = {10, 20};
  table.match(Symbols{7, 8, 8}, matches);
  EXPECT_EQ(matches, (Symbols{12, 21}));
}

TEST(Ngrams, NoneMatchBeforeAnyReferenceNorForTheSymbolThatStandsForUnknown) {
  NgramTable table(3);
  Symbols matches(3);
  table.match(Symbols{0, 0, 0}, matches);
  EXPECT_EQ(matches, Symbols(3));
  table.add(Symbols{0, 1, 2});
  table.match(Symbols{0, 0xFFFFFFFFu, 2, 0xFFFFFFFFu}, matches);
  EXPECT_EQ(matches, (Symbols{2, 0, 0}));
}

TEST(Ngrams, AreAsManyAsThereArePlacesForThem) {
  EXPECT_EQ(ngram_total(5, 1), 5u);
  EXPECT_EQ(ngram_total(5, 5), 1u);
  EXPECT_EQ(ngram_total(5, 6), 0u);
  EXPECT_EQ(ngram_total(0, 1), 0u);
}

}  // namespace
}  // namespace hinge
