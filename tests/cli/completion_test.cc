// Completion of command lines, by `hinge complete` and by the scripts of the shells that ask it.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

using Words = std::vector<std::string>;

Words completions(Words line) {
  line.insert(line.begin(), {"complete", "--"});
  const CommandResult result = hinge(line);
  EXPECT_EQ(result.code, 0) << result.err;
  Words words;
  for (const std::string& answer : lines_of(result.out)) words.push_back(answer.substr(0, answer.find('\t')));
  return words;
}

bool offers(const Words& line, const std::string& word) {
  const Words all = completions(line);
  return std::ranges::find(all, word) != all.end();
}

TEST(Completion, KnowsCommandsAndGroups) {
  EXPECT_EQ(completions({"tra"}), Words{"train"});
  EXPECT_EQ(completions({"mt", "dec"}), Words{"decode"});
  EXPECT_EQ(completions({"no-such-command", "x", "--f"}), Words());
}

TEST(Completion, KnowsTheFlagsOfACommandAndOfNoOther) {
  EXPECT_EQ(completions({"train", "tag", "x", "--checkpoint-"}), Words{"--checkpoint-every"});
  EXPECT_FALSE(offers({"predict", "--"}, "--checkpoint-every"));
  EXPECT_TRUE(offers({"predict", "--"}, "--nbest"));
}

TEST(Completion, KnowsTasksLearnersPresetsAndShells) {
  EXPECT_EQ(completions({"train", "summ"}), Words{"summarize"});
  EXPECT_EQ(completions({"train", "tag", "x", "--learner", "bc"}), Words{"bcfw"});
  EXPECT_EQ(completions({"train", "tag", "x", "--learner=bc"}), Words{"--learner=bcfw"});
  EXPECT_EQ(completions({"compare", "tag", "x", "y", "--learners", "mira,bc"}), Words{"mira,bcfw"});
  EXPECT_EQ(completions({"templates", "np-"}), Words{"np-chunk"});
  EXPECT_TRUE(offers({"train", "dep", "x", "--features", ""}, "dep-plain"));
  EXPECT_FALSE(offers({"train", "dep", "x", "--features", ""}, "np-chunk"));
  EXPECT_EQ(completions({"docs", "--completion", "f"}), Words{"fish"});
  EXPECT_EQ(completions({"learners", "dcd-"}), Words{"dcd-light"});
}

TEST(Completion, KnowsTheOptionsOfTheTaskAndTheLearnerOnTheLine) {
  EXPECT_TRUE(offers({"train", "tag", "x", "-p", ""}, "min_count="));
  EXPECT_FALSE(offers({"train", "rerank", "x", "-p", "constr"}, "constraints="));
  EXPECT_TRUE(offers({"train", "tag", "x", "--learner", "crf", "-p", ""}, "regularizer="));
  EXPECT_FALSE(offers({"train", "tag", "x", "--learner", "mira", "-p", ""}, "regularizer="));
  EXPECT_EQ(completions({"train", "tag", "x", "-p", "format=co"}), (Words{"format=columns", "format=commented", "format=conllu"}));
  EXPECT_EQ(completions({"train", "tag", "x", "-p", "C=1", "min_c"}), Words{"min_count="});
  EXPECT_TRUE(offers({"mt", "decode", "m", "-p", ""}, "beam="));
}

TEST(Completion, TakesWordsAsBashSplitsThem) {
  EXPECT_EQ(completions({"train", "tag", "x", "-p", "format", "=", "att"}), Words{"format=attributes"});
  EXPECT_EQ(completions({"train", "tag", "x", "--learner", "="}), completions({"train", "tag", "x", "--learner="}));
}

TEST(Completion, OffersFilesWhereFilesFit) {
  EXPECT_EQ(completions({"predict", "no-such"}), Words{":files"});
  EXPECT_EQ(completions({"train", "tag", "x", "--dev", ""}), Words{":files"});
  EXPECT_TRUE(offers({"train", "tag", "x", "--features", ""}, ":files"));
  EXPECT_FALSE(offers({"tasks", ""}, ":files"));
}

TEST(Completion, AShellWithoutAScriptIsRefused) {
  expect_refused(hinge({"docs", "--completion", "csh"}), {"csh", "bash", "zsh", "fish"});
}

// The words that a shell offers after running `commands` with the script in $1 and hinge on its PATH.
Words offered_by(const std::string& shell, const std::string& commands) {
  const TemporaryFolder folder;
  const std::string script = folder.write("script", hinge({"docs", "--completion", shell}).out);
  const std::string path =
      "PATH=" + std::filesystem::path(hinge_binary()).parent_path().string() + ":" + std::getenv("PATH");
  const CommandResult result = run_command({"env", path, "SCRIPT=" + script, shell, "-c", commands});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  Words words;
  for (const std::string& line : lines_of(result.out)) words.push_back(line.substr(0, line.find_first_of(" \t")));
  return words;
}

bool is_installed(const std::string& shell) {
  return run_command({"sh", "-c", "command -v " + shell + " >/dev/null"}).code == 0;
}

TEST(Completion, BashAsksTheProgram) {
  const std::string ask = "source $SCRIPT; COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _hinge; printf '%s\\n' \"${COMPREPLY[@]}\"";
  EXPECT_EQ(offered_by("bash", "COMP_WORDS=(hinge train tag x --learner bc); " + ask), Words{"bcfw"});
  EXPECT_EQ(offered_by("bash", "COMP_WORDS=(hinge train tag x -p format = co); " + ask), (Words{"columns", "commented", "conllu"}));
  EXPECT_EQ(offered_by("bash", "COMP_WORDS=(hinge predict $SCRIPT); " + ask).size(), 1u);  // a file
}

TEST(Completion, ZshAsksTheProgram) {
  if (!is_installed("zsh")) GTEST_SKIP() << "zsh is not installed: scripts/install-deps --tests installs it";
  const std::string stubs = "compdef() { :; }; compadd() { print -l -- ${(P)@[-1]}; }; _files() { print :files; }; ";
  const std::string ask = "source $SCRIPT; CURRENT=$#words; _hinge; true";
  EXPECT_EQ(offered_by("zsh", stubs + "words=(hinge train tag x --learner bc); " + ask), Words{"bcfw"});
  EXPECT_EQ(offered_by("zsh", stubs + "words=(hinge train tag x -p min_c); " + ask), Words{"min_count="});
  EXPECT_EQ(offered_by("zsh", stubs + "words=(hinge predict ''); " + ask), Words{":files"});
}

TEST(Completion, FishAsksTheProgram) {
  if (!is_installed("fish")) GTEST_SKIP() << "fish is not installed: scripts/install-deps --tests installs it";
  const auto ask = [](const std::string& line) {
    return offered_by("fish", "source $SCRIPT; complete -C '" + line + "'");
  };
  EXPECT_EQ(ask("hinge train tag x --learner bc"), Words{"bcfw"});
  EXPECT_EQ(ask("hinge train tag x -p min_c"), Words{"min_count="});
  EXPECT_EQ(ask("hinge tra"), Words{"train"});
}

}  // namespace
}  // namespace hinge::test
