#include "hinge/evaluate/confusion.h"

#include <gtest/gtest.h>

namespace hinge {
namespace {

struct Counts {
  std::int64_t gold;
};
using Labels = std::map<std::string, Counts>;

std::map<std::pair<std::string, std::string>, std::int64_t> cells_of(const std::vector<Confusion>& table) {
  std::map<std::pair<std::string, std::string>, std::int64_t> cells;
  for (const Confusion& cell : table) cells[{cell.gold, cell.predicted}] = cell.count;
  return cells;
}

TEST(Confusions, ErrorsAreCountedAndTheRestIsRight) {
  Confusions confusions;
  confusions.add("a", "b");
  confusions.add("a", "b");
  confusions.add("a", "a");
  confusions.add("b", "c");
  const auto cells = cells_of(confusions.table(Labels{{"a", {5}}, {"b", {1}}, {"c", {0}}}));
  EXPECT_EQ(cells, (decltype(cells){{{"a", "a"}, 3}, {{"a", "b"}, 2}, {{"b", "c"}, 1}}));
}

TEST(Confusions, OfTwoPartsAddUp) {
  Confusions one, two, both;
  for (const auto& [gold, predicted] : {std::pair("a", "b"), std::pair("b", "a"), std::pair("a", "b")}) {
    (gold[0] == 'a' ? one : two).add(gold, predicted);
    both.add(gold, predicted);
  }
  one.add(two);
  const Labels labels{{"a", {2}}, {"b", {4}}};
  EXPECT_EQ(cells_of(one.table(labels)), cells_of(both.table(labels)));
}

TEST(Confusions, TheTextHasTheMostFrequentErrorsFirst) {
  Confusions confusions;
  confusions.add("x", "long");
  for (int i = 0; i < 3; ++i) confusions.add("long", "x");
  for (int i = 0; i < 2; ++i) confusions.add("x", "y");
  const auto table = confusions.table(Labels{{"long", {3}}, {"x", {9}}});
  EXPECT_EQ(confusion_text(table, 2),
            "most frequent of 3 kinds of errors (gold -> predicted):\n"
            "       3  long -> x\n"
            "       2  x    -> y\n");
  EXPECT_EQ(confusion_text(Confusions().table(Labels{{"a", {1}}}), 2), "");
}

}  // namespace
}  // namespace hinge
