#include "hinge/learn/driver/checkpoint.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>

#include "tests/support/data.h"
#include "tests/support/full_disk.h"

namespace hinge::test {
namespace {

namespace fs = std::filesystem;

std::string read(const std::string& path) { return TemporaryFolder::read(path); }

std::size_t files_in(const TemporaryFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator(folder.path("")), fs::directory_iterator{}));
}

struct Contents {
  std::vector<std::string> words{"one", "", "three"};
  std::optional<double> number = 0.1;
  Weights weights = Weights(3000);

  Contents() { weights[2999] = 3.0f; }
  void visit(State& state) { state(words, number, weights); }
};

const CheckpointHeader kHeader{.description = "{\"learner\": \"dcd\"}\n", .fingerprint = 0x0123456789abcdefu};

void write(const std::string& path, Contents contents, const CheckpointHeader& header = kHeader) {
  write_checkpoint(path, header, [&](State& state) { state(contents); });
}

std::string error_of(const std::string& path) {
  try {
    const CheckpointFile file(path);
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

// The error when `bytes` are read.
std::string error_of_bytes(const TemporaryFolder& folder, const std::string& bytes) {
  return error_of(folder.write("altered", bytes));
}

TEST(Checkpoint, HeaderAndContentsComeBack) {
  const TemporaryFolder folder;
  write(folder.path("c"), {});
  const CheckpointFile file(folder.path("c"));
  EXPECT_EQ(file.header().description, kHeader.description);
  EXPECT_EQ(file.header().fingerprint, kHeader.fingerprint);
  for (int reading = 0; reading < 2; ++reading) {
    Contents back;
    back.words.clear();
    back.number.reset();
    back.weights = Weights();
    file.read([&](State& state) { state(back); });
    EXPECT_EQ(back.words, Contents().words);
    EXPECT_EQ(back.number, 0.1);
    ASSERT_EQ(back.weights.size(), 3000u);
    EXPECT_EQ(back.weights[2999], 3.0f);
    EXPECT_EQ(squared_norm(back.weights), 9.0);
  }
}

TEST(Checkpoint, AnyDescriptionComesBackEvenAnEmptyOne) {
  const TemporaryFolder folder;
  for (const std::string& description :
       {std::string(), std::string(70000, 'x'), std::string("\0\xff\n", 3)}) {
    write_checkpoint(folder.path("c"), {.description = description, .fingerprint = 0}, [](State&) {});
    const CheckpointFile file(folder.path("c"));
    EXPECT_EQ(file.header().description, description);
    file.read([](State&) {});
  }
}

TEST(Checkpoint, TheSameContentsAreTheSameBytes) {
  const TemporaryFolder folder;
  write(folder.path("a"), {});
  write(folder.path("b"), {});
  EXPECT_EQ(read(folder.path("a")), read(folder.path("b")));
}

TEST(Checkpoint, ContentsThatEndTooEarlyOrTooLateAreRefused) {
  const TemporaryFolder folder;
  write(folder.path("c"), {});
  const CheckpointFile file(folder.path("c"));
  EXPECT_THROW(file.read([](State& state) {
    Contents contents;
    char more = 0;
    state(contents, more);
  }),
               ModelError);
  EXPECT_THROW(file.read([](State& state) {
    Contents contents;
    state(contents.words, contents.number);
  }),
               ModelError);
  EXPECT_THROW(file.read([](State&) {}), ModelError);
}

TEST(Checkpoint, AFileOfAnotherKindIsNamedAsSuch) {
  const TemporaryFolder folder;
  write(folder.path("c"), {});
  std::string bytes = read(folder.path("c"));
  for (const std::string& other : {std::string(), std::string("x"), std::string("HINGECKP"),
                                   std::string("a text of some length\n"), "hingeckp" + bytes.substr(8)}) {
    const std::string error = error_of_bytes(folder, other);
    EXPECT_NE(error.find("is not a checkpoint"), std::string::npos) << error;
    EXPECT_NE(error.find(folder.path("altered")), std::string::npos) << error;
  }
}

TEST(Checkpoint, AnotherFormatIsRefusedWithBothNumbers) {
  const TemporaryFolder folder;
  write(folder.path("c"), {});
  std::string bytes = read(folder.path("c"));
  const std::uint32_t format = kCheckpointFormat + 41;
  std::memcpy(bytes.data() + 8, &format, sizeof format);
  const std::string error = error_of_bytes(folder, bytes);
  EXPECT_NE(error.find(std::to_string(format)), std::string::npos) << error;
  EXPECT_NE(error.find("reads " + std::to_string(kCheckpointFormat)), std::string::npos) << error;
}

TEST(Checkpoint, EveryChangedByteIsNoticed) {
  const TemporaryFolder folder;
  Contents small;
  small.weights = Weights(20);
  small.weights[3] = 1.0f;
  write(folder.path("c"), small);
  const std::string bytes = read(folder.path("c"));
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 << at % 8));
    ASSERT_NE(error_of_bytes(folder, damaged), "") << "byte " << at;
  }
}

TEST(Checkpoint, CutAnywhereOrWithMoreBehindItIsNoticed) {
  const TemporaryFolder folder;
  Contents small;
  small.weights = Weights(20);
  write(folder.path("c"), small);
  const std::string bytes = read(folder.path("c"));
  ASSERT_EQ(error_of_bytes(folder, bytes), "");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_NE(error_of_bytes(folder, bytes.substr(0, size)), "") << size << " bytes";
  for (const std::size_t more : {1, 8, 1000})
    EXPECT_NE(error_of_bytes(folder, bytes + std::string(more, '\0')), "") << more << " bytes more";
  EXPECT_NE(error_of_bytes(folder, bytes + bytes), "");
}

TEST(Checkpoint, AMissingFileOrAFolderIsAModelErrorNamingIt) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("sub"));
  for (const std::string name : {"missing", "sub"}) {
    const std::string error = error_of(folder.path(name));
    EXPECT_NE(error.find(folder.path(name)), std::string::npos) << name << ": " << error;
  }
}

TEST(Checkpoint, ReplacesTheOneBefore) {
  const TemporaryFolder folder;
  write(folder.path("c"), {}, {.description = std::string(100000, 'x'), .fingerprint = 1});
  write(folder.path("c"), {}, {.description = "short", .fingerprint = 2});
  EXPECT_EQ(CheckpointFile(folder.path("c")).header().description, "short");
  EXPECT_EQ(files_in(folder), 1u);
}

TEST(Checkpoint, AWriteThatFailsHalfwayLeavesTheOneBefore) {
  const TemporaryFolder folder;
  write(folder.path("c"), {});
  const std::string before = read(folder.path("c"));
  for (const std::size_t halfway : {0, 10, 10'000'000}) {
    EXPECT_THROW(write_checkpoint(folder.path("c"), kHeader,
                                  [&](State& state) {
                                    std::vector<char> some(halfway, 'x');
                                    state(some);
                                    throw std::runtime_error("the learner broke");
                                  }),
                 std::runtime_error);
    EXPECT_EQ(read(folder.path("c")), before);
    EXPECT_EQ(files_in(folder), 1u);
  }
}

TEST(Checkpoint, OnAFullDiskIsAnOutputErrorAndTheOneBeforeStays) {
  const TemporaryFolder folder;
  write(folder.path("c"), {});
  const std::string before = read(folder.path("c"));
  for (const rlim_t room : {0, 1, 4096, 200'000}) {
    const FullDisk disk(room);
    EXPECT_THROW(write_checkpoint(folder.path("c"), kHeader,
                                  [](State& state) {
                                    std::vector<char> much(1'000'000, 'x');
                                    state(much);
                                  }),
                 OutputError)
        << room;
    EXPECT_EQ(read(folder.path("c")), before);
    EXPECT_EQ(files_in(folder), 1u);
  }
  write(folder.path("c"), {}, {.description = "room again", .fingerprint = 2});
  EXPECT_EQ(CheckpointFile(folder.path("c")).header().description, "room again");
}

TEST(Checkpoint, WhereItCannotBeWrittenIsAnOutputError) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("sub"));
  const std::string file = folder.write("file", "");
  for (const std::string& path : {folder.path("missing/c"), folder.path("sub"), file + "/c"})
    EXPECT_THROW(write(path, {}), OutputError) << path;
  EXPECT_EQ(files_in(folder), 2u);
}

}  // namespace
}  // namespace hinge::test
