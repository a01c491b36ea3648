// The documentation agrees with the program.
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "tests/support/command.h"
#include "tests/support/data.h"

namespace hinge::test {
namespace {

namespace fs = std::filesystem;

const std::string kSource = HINGE_SOURCE_DIR;

TEST(Docs, OptionsPageIsWhatTheProgramPrints) {
  EXPECT_EQ(TemporaryFolder::read(kSource + "/docs/options.md"), run_command({HINGE_BINARY, "docs"}).out)
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
      const fs::path binary(HINGE_BINARY);
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
