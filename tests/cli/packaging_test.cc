// What packagers read agrees with the program.
#include "tests/cli/hinge_command.h"

namespace hinge::test {
namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string packages(const std::vector<std::string>& groups) {
  std::vector<std::string> command{source_folder() + "/scripts/install-deps", "--list"};
  command.insert(command.end(), groups.begin(), groups.end());
  const CommandResult listed = run_command(command);
  EXPECT_EQ(listed.code, 0) << listed.err;
  return listed.out;
}

TEST(Packaging, TheCitationHasTheVersionOfTheProgram) {
  const std::string version = lines_of(hinge({"--version"}).out).at(0).substr(std::string("hinge ").size());
  const std::string citation = TemporaryFolder::read(source_folder() + "/CITATION.cff");
  EXPECT_TRUE(contains(citation, "\nversion: " + version + "\n")) << version;
  const std::string readme = TemporaryFolder::read(source_folder() + "/README.md");
  EXPECT_TRUE(contains(readme, "version = {" + version + "}")) << version;
}

TEST(Packaging, TheProgramNeedsNoPackageOfTheTestsOrOfPython) {
  for (const std::string& package : lines_of(packages({}))) {
    for (const char* other : {"gtest", "lbfgs", "python", "clang", "zsh", "fish"})
      EXPECT_FALSE(contains(package, other)) << package;
  }
  EXPECT_TRUE(contains(packages({}), "coinor-libcbc-dev\n"));
  EXPECT_TRUE(contains(packages({"--tests"}), "libgtest-dev\n"));
  EXPECT_TRUE(contains(packages({"--python"}), "python3-venv\n"));
}

TEST(Packaging, AnUnknownGroupOfPackagesIsRefused) {
  const CommandResult refused = run_command({source_folder() + "/scripts/install-deps", "--test"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_TRUE(contains(refused.err, "--test is not one of")) << refused.err;
}

}  // namespace
}  // namespace hinge::test
