// Properties of section files that tests/model/model_file_test.cc does not cover.
#include "hinge/files/section_file.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

constexpr SectionKind kKind = {
    .magic = std::string_view("ABCDEFGH", 8),
    .format = 3,
    .what = "a thing",
    .make = "make one",
    .redo = "make it again",
    .refuse = [](const std::string& message) { throw InputError(message); },
};

TEST(SectionFile, WrittenToDiskIsTheSameBytesAsInMemory) {
  const TemporaryFolder folder;
  const std::vector<double> numbers(100000, 1.5);  // larger than the buffer
  SectionWriter writer(kKind);
  writer.add("owned", "some bytes");
  writer.add_view("viewed", std::span<const double>(numbers));
  writer.add("empty", "");
  OutputFile out(folder.path("file"));
  writer.write(out);
  out.commit();
  EXPECT_TRUE(TemporaryFolder::read(folder.path("file")) == writer.bytes());

  const SectionFile file = SectionFile::open(folder.path("file"), kKind);
  EXPECT_EQ(file.section("owned"), "some bytes");
  const std::span<const double> read = file.array<double>("viewed");
  EXPECT_TRUE(std::equal(read.begin(), read.end(), numbers.begin(), numbers.end()));
}

TEST(SectionFile, RefusesInTheWordsOfItsKind) {
  const auto message_of = [](const std::string& bytes) -> std::string {
    try {
      SectionFile::from_bytes(bytes, "file", kKind).section("absent");
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  SectionWriter writer(kKind);
  writer.add("a", "b");
  const std::string bytes = writer.bytes();
  EXPECT_EQ(message_of("ABCDEFG"), "file: is not a thing; make one");
  EXPECT_EQ(message_of(bytes.substr(0, 9)),
            "file: has only 9 bytes, it was cut short; copy or make it again");
  EXPECT_EQ(message_of(bytes), "file: has no section 'absent'; make it again");
  std::string newer = bytes;
  newer[8] = 4;
  EXPECT_EQ(message_of(newer),
            "file: has format 4, this build reads formats 1-3; upgrade hinge or make it again");
}

}  // namespace
}  // namespace hinge
