// The manual page, and what `cmake --install` puts beside the program.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

TEST(Manual, HasEveryCommandFlagTaskAndLearner) {
  const std::string page = hinge({"docs", "--man"}).out;
  const auto expect_in = [&](std::string word) {
    for (std::size_t at = 0; (at = word.find('-', at)) != std::string::npos; at += 2) word.insert(at, "\\");
    EXPECT_NE(page.find(word), std::string::npos) << word;
  };
  for (const char* word : {".SS hinge train\n", ".SS hinge mt decode\n", "--checkpoint-every", "--nbest",
                           "EXIT STATUS", ".SS summarize\n", "\\fBmin_count\\fR=", "np-chunk"})
    expect_in(word);
  for (const std::string& learner : learner_names()) expect_in(".SS " + learner + "\n");
}

TEST(Manual, HasNoLineThatTheFormatterWouldTakeForACommand) {
  for (const std::string& line : lines_of(hinge({"docs", "--man"}).out)) {
    if (!line.starts_with('.')) continue;
    const std::string word = line.substr(0, line.find(' '));
    EXPECT_TRUE(word == ".TH" || word == ".SH" || word == ".SS" || word == ".TP" || word == ".B" || word == ".I" ||
                word == ".br" || word == ".\\\"")
        << line;
    EXPECT_FALSE(line.starts_with('\'')) << line;
  }
}

}  // namespace
}  // namespace hinge::test
