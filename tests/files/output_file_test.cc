#include "hinge/files/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

namespace fs = std::filesystem;
using test::TemporaryFolder;

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path("")), fs::directory_iterator{}));
}

// Replaces standard output by a file or device during its lifetime.
class StandardOutputTo {
 public:
  explicit StandardOutputTo(const std::string& path) : saved_(dup(STDOUT_FILENO)) {
    std::fflush(stdout);
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(fd, STDOUT_FILENO);
    close(fd);
  }
  ~StandardOutputTo() {
    dup2(saved_, STDOUT_FILENO);
    close(saved_);
  }

 private:
  int saved_;
};

TEST(OutputFile, AppearsWhenCommittedAndNotBefore) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("out"));
  file.write("one ");
  file.write("two");
  file.flush();
  EXPECT_FALSE(fs::exists(folder.path("out")));
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(folder.path("out")), "one two");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, LeavesNothingBehindWithoutCommit) {
  const TemporaryFolder folder;
  {
    OutputFile file(folder.path("out"));
    file.write(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(files_in(folder), 0u);
}

TEST(OutputFile, ReplacesAnOlderFileOnlyWhenCommitted) {
  const TemporaryFolder folder;
  const std::string path = folder.write("out", "old");
  {
    OutputFile file(path);
    file.write("half of the n");
    file.flush();
    EXPECT_EQ(TemporaryFolder::read(path), "old");
  }
  EXPECT_EQ(TemporaryFolder::read(path), "old");
  EXPECT_EQ(files_in(folder), 1u);
  OutputFile file(path);
  file.write("new");
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(path), "new");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, KeepsEveryByteAcrossItsBuffer) {
  const TemporaryFolder folder;
  std::string expected;
  OutputFile file(folder.path("out"));
  for (int i = 0; i < 40000; ++i) {
    const std::string piece = std::to_string(i) + std::string(i % 7, '\0');
    expected += piece;
    file.write(piece);
  }
  const std::string large(300000, 'y');
  file.write(large);
  file.write("");
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(folder.path("out")), expected + large);
}

TEST(OutputFile, MayBeEmpty) {
  const TemporaryFolder folder;
  OutputFile file(folder.path("out"));
  file.commit();
  EXPECT_TRUE(fs::exists(folder.path("out")));
  EXPECT_EQ(fs::file_size(folder.path("out")), 0u);
}

TEST(OutputFile, InAMissingFolderIsRefusedNamingThePath) {
  const TemporaryFolder folder;
  const std::string path = folder.path("missing/out");
  try {
    OutputFile file(path);
    FAIL() << "accepted";
  } catch (const OutputError& error) {
    EXPECT_NE(std::string(error.what()).find(path), std::string::npos) << error.what();
  }
  EXPECT_EQ(files_in(folder), 0u);
}

// Not only at commit, which may come after an hour of training.
TEST(OutputFile, InPlaceOfAFolderIsRefusedWhenOpened) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("out"));
  EXPECT_THROW(OutputFile file(folder.path("out")), OutputError);
  EXPECT_TRUE(fs::is_directory(folder.path("out")));
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, InPlaceOfAFolderNeverHarmsIt) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("out"));
  EXPECT_THROW(
      {
        OutputFile file(folder.path("out"));
        file.write("x");
        file.commit();
      },
      OutputError);
  EXPECT_TRUE(fs::is_directory(folder.path("out")));
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(OutputFile, OnAFullDeviceIsAnOutputErrorAndTheDeviceStays) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  EXPECT_THROW(
      {
        OutputFile file("/dev/full");
        file.write("x");
        file.commit();
      },
      OutputError);
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST(OutputFile, OnANullDeviceIsAcceptedAndTheDeviceStays) {
  if (!fs::is_character_file("/dev/null")) GTEST_SKIP() << "no /dev/null here";
  OutputFile file("/dev/null");
  file.write("x");
  file.commit();
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(OutputFile, ThroughALinkWritesWhatTheLinkPointsTo) {
  const TemporaryFolder folder;
  const std::string target = folder.write("target", "old");
  fs::create_symlink(target, folder.path("link"));
  OutputFile file(folder.path("link"));
  file.write("new");
  file.commit();
  EXPECT_EQ(TemporaryFolder::read(folder.path("link")), "new");
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_EQ(TemporaryFolder::read(target), "new");
}

TEST(OutputFile, NamedMinusIsStandardOutput) {
  const TemporaryFolder folder;
  {
    const StandardOutputTo captured(folder.path("captured"));
    OutputFile file("-");
    file.write("to the screen\n");
    file.flush();
    EXPECT_EQ(TemporaryFolder::read(folder.path("captured")), "to the screen\n");
    file.write("more\n");
    file.commit();
  }
  EXPECT_EQ(TemporaryFolder::read(folder.path("captured")), "to the screen\nmore\n");
}

TEST(OutputFile, OnAFullStandardOutputIsAnOutputError) {
  if (!fs::is_character_file("/dev/full")) GTEST_SKIP() << "no /dev/full here";
  const StandardOutputTo full("/dev/full");
  OutputFile file("-");
  file.write("lost");
  EXPECT_THROW(file.commit(), OutputError);
}

}  // namespace
}  // namespace hinge
