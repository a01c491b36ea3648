// Shared by all tasks: fingerprints, the heaviest weights, tables of choices.
#include <gtest/gtest.h>

#include <set>

#include "hinge/evaluate/metric.h"
#include "hinge/tasks/fingerprint.h"
#include "hinge/tasks/heaviest.h"
#include "hinge/tasks/registry.h"
#include "tests/support/systems.h"

namespace hinge::test {
namespace {

template <typename... Values>
std::uint64_t print_of(const Values&... values) {
  Fingerprint print;
  (print.add(values), ...);
  return print.value();
}

TEST(Fingerprint, DependsOnValuesOrderAndLengths) {
  using Ints = std::vector<int>;
  const std::set<std::uint64_t> prints{print_of(),
                                       print_of(Ints{}),
                                       print_of(Ints{1}),
                                       print_of(Ints{1, 2}),
                                       print_of(Ints{2, 1}),
                                       print_of(Ints{1}, Ints{2}),
                                       print_of(Ints{1, 2}, Ints{}),
                                       print_of(Ints{}, Ints{1, 2}),
                                       print_of(std::vector<float>{1.0f}),
                                       print_of(std::string_view("ab")),
                                       print_of(std::vector<std::string>{"a", "b"})};
  EXPECT_EQ(prints.size(), 11u);
  EXPECT_EQ(print_of(Ints{1, 2}, std::string("x")), print_of(Ints{1, 2}, std::string_view("x")));
}

TEST(Heaviest, AreThoseOfLargestSizeInTheirOrder) {
  const std::vector<WeightLine> all{
      {"a", "", 1.0f}, {"b", "", -3.0f}, {"c", "", 3.0f}, {"d", "", 0.5f}, {"e", "", -1.0f}};
  const auto names = [&](std::size_t n) {
    std::vector<WeightLine> kept = all;
    keep_heaviest(n, kept);
    std::string text;
    for (const WeightLine& line : kept) text += line.feature;
    return text;
  };
  EXPECT_EQ(names(0), "");
  EXPECT_EQ(names(3), "bca");
  EXPECT_EQ(names(9), "bcaed");
}

TEST(Presets, AreThoseOfTheTasksAndHaveDifferentNames) {
  std::set<std::string_view> names;
  std::size_t count = 0;
  for (const TaskRow& row : task_table()) {
    if (row.presets == nullptr) continue;
    const std::string help = row.choose()->options().options()[0].help();
    for (const Preset& preset : row.presets()) {
      ++count;
      names.insert(preset.name);
      EXPECT_NE(help.find(preset.name), std::string::npos) << help;
    }
  }
  EXPECT_EQ(names.size(), count);
  EXPECT_EQ(all_presets().size(), count);
}

// A new metric needs only a new row in the table.
TEST(Metrics, TheOptionAndTheReportFollowTheTable) {
  const TemporaryFolder folder;
  const std::string gold = folder.write("gold", "the cat sat\n");
  const std::string system = folder.write("system", "the dog sat\n");
  std::string expected = "one of ";
  for (const std::string_view name : metric_names()) {
    expected += (name == metric_names()[0] ? "" : ", ") + std::string(name);
    const auto choice = find_task("rerank").choose();
    choice->options().set("metric", name);
    const Evaluation evaluation = choice->evaluate(gold, system);
    EXPECT_EQ(evaluation.scores[0].first, name);
    EXPECT_EQ(evaluation.lower_is_better, make_metric(name)->is_error());
  }
  const auto choice = find_task("rerank").choose();
  for (const Option& option : choice->options().options()) {
    if (option.name() != "metric") continue;
    EXPECT_EQ(option.expected(), expected);
  }
}

}  // namespace
}  // namespace hinge::test
