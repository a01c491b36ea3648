// `hinge train --folds`, `--search learner=...` and `--search auto`; training_test.cc has grids.
#include <set>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

using SearchCommand = SampleCorpus;

// The first cells of the rows of a Markdown table, without its heading.
std::vector<std::string> first_cells(const std::string& table) {
  std::vector<std::string> cells;
  for (const std::string& line : lines_of(table)) {
    if (line.starts_with("| ")) cells.push_back(line.substr(2, line.find(" |", 2) - 2));
  }
  if (!cells.empty()) cells.erase(cells.begin());
  return cells;
}

// The options that the table says were kept, as flags.
std::vector<std::string> kept(const std::string& table) {
  std::vector<std::string> flags;
  for (const std::string& line : lines_of(table)) {
    if (!line.ends_with("| kept |")) continue;
    std::stringstream options(line.substr(2, line.find(" |", 2) - 2));
    for (std::string option; options >> option;) {
      if (option.starts_with("learner=")) {
        flags.insert(flags.end(), {"--learner", option.substr(8)});
      } else if (option.find('=') != std::string::npos) {
        flags.insert(flags.end(), {"-p", option});
      }
    }
  }
  return flags;
}

TEST_F(SearchCommand, FoldsScoreEveryPartAndTrainOnAll) {
  const CommandResult result = train_with({"--folds", "3", "--epochs", "3", "-o", path("folds")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(first_cells(result.out), (std::vector<std::string>{"1", "2", "3", "mean ± standard error"}));
  must_train({"--epochs", "3", "-o", path("all")});
  EXPECT_TRUE(read("folds") == read("all"));
  EXPECT_EQ(train_with({"--folds", "3", "--epochs", "3", "-o", path("again")}).out, result.out);
  EXPECT_NE(train_with({"--folds", "3", "--epochs", "3", "--seed", "2", "-o", path("other")}).out,
            result.out);
}

// A model of one fold's training part, scored on its held-out part, has that fold's score:
// with as many folds as sentences, each sentence is held out once.
TEST_F(SearchCommand, EverySentenceIsHeldOutOnce) {
  std::string text;
  for (int k = 0; k < 8; ++k) text += "w" + std::to_string(k % 2) + " L" + std::to_string(k % 2) + "\n\n";
  text += "new NEW\n";  // without the empty line after it
  const CommandResult result = hinge({"train", "tag", write("t.txt", text), "--folds", "9", "-q",
                                      "--features", write("f.tpl", "U:%x[0,0]\n"), "-o", path("m")});
  ASSERT_EQ(result.code, 0) << result.err;
  // Only the word that occurs once cannot be learned from the others.
  EXPECT_EQ(std::ranges::count_if(lines_of(result.out),
                                  [](const std::string& line) { return line.ends_with("| 100.00 |"); }),
            8)
      << result.out;
  EXPECT_NE(result.out.find("88.89 ± 11.11"), std::string::npos) << result.out;
}

TEST_F(SearchCommand, FoldsOfOtherTasksAreTheirExamples) {
  for (const std::string task : {"dep", "classify", "const", "coref", "summarize"}) {
    SCOPED_TRACE(task);
    ASSERT_EQ(hinge({"sample", task, "--sentences", "60", "--seed", "1", "-o", path(task)}).code, 0);
    const CommandResult result = hinge({"train", task, path(task), "--folds", "2", "--epochs", "1", "-q",
                                        "--threads", "1", "-o", path("m")});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(first_cells(result.out).size(), 3u) << result.out;
  }
}

TEST_F(SearchCommand, FoldsThatCannotBeAreRefused) {
  expect_refused(train_with({"--folds", "1", "-o", path("m")}), {"--folds", "at least 2"});
  expect_refused(train_with({"--folds", "61", "-o", path("m")}), {"60 examples", "61 folds"});
  expect_refused(train_with({"--folds", "2", "--dev", dev(), "-o", path("m")}), {"--folds", "--dev"});
  expect_refused(train_with({"--folds", "2", "--early-stop", "2", "-o", path("m")}), {"--early-stop"});
  expect_refused(train_with({"--folds", "2", "--checkpoint", path("c"), "-o", path("m")}), {"--checkpoint"});
  EXPECT_FALSE(exists("m"));
}

TEST_F(SearchCommand, LearnersAreADimensionAndEachKeepsItsOptions) {
  const CommandResult result = train_with({"--search", "learner=perceptron,dcd", "--search", "C=0.01,0.1",
                                           "--epochs", "2", "--cold", "--dev", dev(), "-o", path("m")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(first_cells(result.out),
            (std::vector<std::string>{"learner=perceptron", "learner=dcd C=0.01", "learner=dcd C=0.1"}));
  std::vector<std::string> flags = kept(result.out);
  flags.insert(flags.end(), {"--epochs", "2", "--dev", dev(), "-o", path("alone")});
  must_train(flags);
  EXPECT_TRUE(read("m") == read("alone"));
  expect_refused(train_with({"--search", "learner=dcd,dcv", "--dev", dev(), "-o", path("no")}),
                 {"dcv", "dcd"});
  expect_refused(
      train_with({"--search", "learner=dcd,perceptron", "--search", "B=1", "--dev", dev(), "-o", path("no")}),
      {"'B'"});
}

TEST_F(SearchCommand, ValuesAreShownWithoutControlCharacters) {
  const CommandResult result =
      hinge({"train", "tag", train(), "--dev", train(), "--search", "features=\x1b[31mred", "-o", path("m")});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err.find('\x1b'), std::string::npos) << result.err;
  EXPECT_NE(result.err.find("features=?[31mred"), std::string::npos) << result.err;
}

TEST_F(SearchCommand, ASearchMayChooseByFolds) {
  const CommandResult result =
      train_with({"--search", "C=0.0001,0.1", "--folds", "2", "--epochs", "2", "--cold", "-o", path("m")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("mean f1"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("±"), std::string::npos) << result.out;
  std::vector<std::string> flags = kept(result.out);
  ASSERT_EQ(flags.size(), 2u) << result.out;
  flags.insert(flags.end(), {"--epochs", "2", "-o", path("alone")});
  must_train(flags);
  EXPECT_TRUE(read("m") == read("alone")) << "the best is trained on all data";
}

TEST_F(SearchCommand, AutoTriesTheDefaultsFirstAndThenTheSameValuesForTheSameSeed) {
  const auto search = [this](const std::string& seed, const std::string& model) {
    const CommandResult result =
        train_with({"--search", "auto", "--search", "learner=dcd,mira", "--time-budget", "1", "--dev", dev(),
                    "--seed", seed, "-o", path(model)});
    EXPECT_EQ(result.code, 0) << result.err;
    return result;
  };
  const CommandResult first = search("1", "m");
  std::vector<std::string> points = first_cells(first.out);
  std::vector<std::string> again = first_cells(search("1", "again").out);
  std::vector<std::string> other = first_cells(search("2", "other").out);
  const std::size_t common = std::min({points.size(), again.size(), other.size(), std::size_t{5}});
  ASSERT_GE(common, 3u) << first.out;
  for (auto* list : {&points, &again, &other}) list->resize(common);
  EXPECT_EQ(points[0], "learner=dcd");
  EXPECT_EQ(points, again);
  EXPECT_NE(points, other);
  EXPECT_NE(points[1].find("C="), std::string::npos) << points[1];
  EXPECT_EQ(kept(first.out).empty(), false);
  EXPECT_GT(f1("m"), 50.0);
}

TEST_F(SearchCommand, AutoLeavesGivenOptionsAloneAndNeedsATimeAndAScore) {
  const CommandResult result =
      train_with({"--search", "auto", "--C", "0.05", "--time-budget", "2", "--dev", dev(), "-o", path("m")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find("C="), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("epochs="), std::string::npos) << result.out;
  expect_refused(train_with({"--search", "auto", "--dev", dev(), "-o", path("no")}), {"--time-budget"});
  expect_refused(train_with({"--search", "auto", "--time-budget", "1", "-o", path("no")}),
                 {"--dev", "--folds"});
}

}  // namespace
}  // namespace hinge::test
