// The documentation agrees with the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/data.h"
#include "tests/support/paths.h"

namespace hinge::test {
namespace {

namespace fs = std::filesystem;

const std::string kSource = source_folder();

TEST(Docs, OptionsPageIsWhatTheProgramPrints) {
  EXPECT_EQ(TemporaryFolder::read(kSource + "/docs/options.md"), run_command({hinge_binary(), "docs"}).out)
      << "run 'make docs'";
}

// The commands of ```console blocks, except those that fetch and build.
std::vector<std::string> commands_of(const std::string& path) {
  std::vector<std::string> commands;
  std::stringstream lines(TemporaryFolder::read(path));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) inside = line == "```console";
    const bool builds = line.find("git clone") != std::string::npos || line.starts_with("$ make");
    if (inside && line.starts_with("$ ") && !builds) commands.push_back(line.substr(2));
  }
  return commands;
}

// The lines of the code blocks in this language, or of a file, without empty ones.
std::vector<std::string> code_lines(const std::string& path, const std::string& language = "") {
  std::vector<std::string> code;
  std::stringstream lines(TemporaryFolder::read(path));
  bool inside = language.empty();
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```") && !language.empty()) {
      inside = line == "```" + language;
    } else if (inside && !line.empty()) {
      code.push_back(line);
    }
  }
  return code;
}

TEST(Docs, ThePageOnOnesOwnTaskQuotesTheWholeExamples) {
  const std::string page = kSource + "/docs/own-task.md";
  EXPECT_EQ(code_lines(page, "cpp"), code_lines(kSource + "/examples/custom_task.cc"));
  EXPECT_EQ(code_lines(page, "python"), code_lines(kSource + "/examples/custom_task.py"));
}

// Every page is a separate session: its commands run in order in one folder.
TEST(Docs, EveryCommandOfTheReadmeAndTheDocsRuns) {
  std::vector<std::string> pages{kSource + "/README.md"};
  for (const auto& entry : fs::directory_iterator(kSource + "/docs")) pages.push_back(entry.path().string());
  int run = 0;
  for (const std::string& page : pages) {
    const TemporaryFolder folder;
    fs::create_directory_symlink(kSource + "/examples", folder.path("examples"));
    for (const std::string& command : commands_of(page)) {
      SCOPED_TRACE(page + ": " + command);
      const fs::path binary(hinge_binary());
      const std::string line = "cd '" + folder.path(".") + "' && PATH='" + binary.parent_path().string() +
                               "':$PATH && set -e -o pipefail && " + command;
      const CommandResult result = run_command({"bash", "-c", line});
      EXPECT_EQ(result.code, 0) << result.out << result.err;
      ++run;
    }
  }
  EXPECT_GT(run, 10);
}

}  // namespace
}  // namespace hinge::test
