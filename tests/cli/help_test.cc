// Help, and what is said about a word that is wrong.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

TEST(Help, AWrongCommandIsNamedWithTheNearestRightOne) {
  expect_refused(hinge({"trian", "tag", "x"}), {"'trian'", "did you mean 'train'"});
  expect_refused(hinge({"mt", "decoed", "x"}), {"there is no command 'mt decoed'", "did you mean 'decode'"});
  expect_refused(hinge({"help", "predcit"}), {"'predcit'", "did you mean 'predict'"});
}

TEST(Help, AWrongFlagIsNamedWithTheNearestRightOne) {
  expect_refused(hinge({"train", "tag", "x", "--epoch", "3"}),
                 {"hinge train has no flag '--epoch'", "did you mean '--epochs'", "hinge train --help"});
  expect_refused(hinge({"train", "tag", "x", "--epoch=3"}), {"'--epoch'", "'--epochs'"});
  expect_refused(hinge({"predict", "--tager", "t", "m"}), {"hinge predict", "'--tager'", "'--tagger'"});
  expect_refused(hinge({"compare", "tag", "x", "y", "--learner", "mira"}), {"'--learner'", "'--learners'"});
  expect_refused(hinge({"mt", "decode", "m", "--weight", "w"}), {"hinge mt decode", "'--weights'"});
}

TEST(Help, AFlagThatIsAnOptionOfATaskOrLearnerSaysHowToGiveIt) {
  expect_refused(hinge({"train", "tag", "x", "--hash-bits", "18"}), {"'--hash-bits'", "-p hash_bits=VALUE", "task tag"});
  expect_refused(hinge({"train", "tag", "x", "--regularizer", "l1"}), {"learner crf", "-p regularizer=VALUE"});
}

TEST(Help, ArgumentsTooManyOrMissingAreNamed) {
  expect_refused(hinge({"train", "tag", "x", "--seed", "1", "--seed", "2"}), {"--seed is given 2 times"});
  expect_refused(hinge({"train", "tag", "x", "--epochs"}), {"--epochs needs a value"});
  expect_refused(hinge({"mt"}), {"a command is missing", "hinge mt --help"});
  expect_refused(hinge({"inspect", "a.model", "b.model"}), {"'b.model'", "too many", "hinge inspect --help"});
}

TEST(Help, HelpOfACommandIsTheSameHoweverItIsAskedFor) {
  const CommandResult all = hinge({"help"});
  EXPECT_EQ(all.code, 0);
  EXPECT_EQ(all.out, hinge({"--help"}).out);
  EXPECT_EQ(all.err, "");
  for (const char* command : {"train", "predict", "explain", "help"}) {
    EXPECT_NE(all.out.find(std::string("\n  ") + command + " "), std::string::npos) << command;
    EXPECT_EQ(hinge({"help", command}).out, hinge({command, "--help"}).out);
  }
  const CommandResult decode = hinge({"help", "mt", "decode"});
  EXPECT_EQ(decode.out, hinge({"mt", "decode", "-h"}).out);
  EXPECT_NE(decode.out.find("Usage: hinge mt decode MODEL [INPUT]"), std::string::npos) << decode.out;
}

// The text of a flag in help, without line breaks.
std::string entry_of(const std::string& help, const std::string& flag) {
  std::string entry;
  bool inside = false;
  for (const std::string& line : lines_of(help)) {
    const bool begins = line.starts_with("  -");
    if (begins || line.empty()) inside = begins && (line.find(flag + " ") != std::string::npos || line.find(flag + ",") != std::string::npos);
    if (inside) entry += line.substr(line.find_first_not_of(' ')) + " ";
  }
  return entry;
}

// docs/options.md and help come from the same table.
TEST(Help, EverySettingHasItsTypeItsDefaultAndAGroup) {
  const std::string help = hinge({"train", "--help"}).out;
  int settings = 0;
  bool inside = false;
  for (const std::string& line : lines_of(hinge({"docs"}).out)) {
    if (line.starts_with("## ")) inside = line == "## Training";
    if (!inside || !line.starts_with("| `") || line.starts_with("| `task`") || line.starts_with("| `train`"))
      continue;
    std::string name = line.substr(3, line.find('`', 3) - 3);
    std::ranges::replace(name, '_', '-');
    const std::size_t begin = line.find(" | ") + 3;
    const std::string value = line.substr(begin, line.find(" | ", begin) - begin);
    const std::string entry = entry_of(help, "--" + name);
    const std::string after = entry.substr(std::min(entry.find("--" + name) + name.size() + 2, entry.size()));
    EXPECT_NE(after.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ|"), std::string::npos) << name << ": " << entry;
    if (value != "empty") {
      EXPECT_NE(entry.find("default " + value), std::string::npos) << name << ": " << entry;
    }
    ++settings;
  }
  EXPECT_GT(settings, 10);
  for (const char* group : {"\nData:\n", "\nTraining:\n", "\nWhen training ends:\n", "\nResults:\n", "\nTask (",
                            "\nLearner (", "\nSearch:\n", "\nFlags:\n"})
    EXPECT_NE(help.find(group), std::string::npos) << group;
  EXPECT_NE(entry_of(help, "--epochs").find("a whole number of at least 1; default 10"), std::string::npos)
      << entry_of(help, "--epochs");
}

TEST(Help, NumbersOfOtherCommandsHaveTheirDefaultsToo) {
  EXPECT_NE(entry_of(hinge({"inspect", "--help"}).out, "--top").find("--top N "), std::string::npos);
  EXPECT_NE(entry_of(hinge({"inspect", "--help"}).out, "--top").find("(default 20)"), std::string::npos);
  EXPECT_NE(entry_of(hinge({"tune", "--help"}).out, "--few").find("(default 0.002)"), std::string::npos);
  EXPECT_NE(entry_of(hinge({"tune", "--help"}).out, "--keep").find("best|last"), std::string::npos);
}

class Parameters : public SampleCorpus {};

TEST_F(Parameters, SeveralValuesMayFollowOneFlag) {
  must_train({"-p", "C=0.2", "-p", "hash_bits=10", "--epochs", "1", "-o", path("apart")});
  must_train({"-p", "C=0.2", "hash_bits=10", "--epochs", "1", "-o", path("together")});
  EXPECT_EQ(read("together"), read("apart"));
  // They end where a word is no NAME=VALUE.
  const CommandResult first = hinge({"train", "-q", "--threads", "1", "--epochs", "1", "-o", path("first"), "-p",
                                     "C=0.2", "hash_bits=10", "tag", train()});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(read("first"), read("apart"));
  expect_refused(train_with({"-p", "C=0.2", "hash_bit=10"}), {"'hash_bit'", "did you mean 'hash_bits'"});
  const CommandResult searched = train_with(
      {"--search", "C=0.1,0.2", "min_count=1,2", "--dev", dev(), "--epochs", "1", "-o", path("best")});
  ASSERT_EQ(searched.code, 0) << searched.err;
  EXPECT_EQ(lines_of(searched.out).size(), 6u) << searched.out;  // two lines of heading
}

}  // namespace
}  // namespace hinge::test
