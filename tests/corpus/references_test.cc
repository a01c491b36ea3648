#include "hinge/corpus/nbest/references.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "tests/support/data.h"

namespace hinge {
namespace {

using test::TemporaryFolder;

TEST(References, AreOneALineAndOneAFile) {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = {folder.write("1", "a b\n\nc\n"),
                                          folder.write("2", "A\r\nB\r\n C ")};
  const References references = read_references(paths);
  ASSERT_EQ(references.sentences(), 3u);
  ASSERT_EQ(references.per_sentence(), 2u);
  EXPECT_EQ(references.text(0, 0), "a b");
  EXPECT_EQ(references.text(1, 0), "");
  EXPECT_EQ(references.text(2, 0), "c");
  EXPECT_EQ(references.text(0, 1), "A");
  EXPECT_EQ(references.text(2, 1), "C");
}

TEST(References, OfNoFilesAreNone) {
  const References references = read_references({});
  EXPECT_EQ(references.sentences(), 0u);
  EXPECT_EQ(references.per_sentence(), 0u);
}

TEST(References, OfFilesOfDifferentLengthsAreRefusedNamingBoth) {
  const TemporaryFolder folder;
  const std::vector<std::string> paths = {folder.write("1", "a\nb\n"), folder.write("2", "a\n")};
  try {
    read_references(paths);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), paths[1] + ": has 1 line, but " + paths[0] +
                                " has 2; give every reference file one line per sentence");
  }
}

TEST(References, OfAnEmptyFileAreRefused) {
  const TemporaryFolder folder;
  const std::string path = folder.write("1", "");
  try {
    read_references(std::span(&path, 1));
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), path + ": is empty, but one reference per line was expected");
  }
}

TEST(References, OfMulti30kBelongToItsLists) {
  HINGE_DATA_FILE(path, "mt/multi30k_nbest/val.ref");
  EXPECT_EQ(read_references(std::span(&path, 1)).sentences(), 1014u);
}

}  // namespace
}  // namespace hinge
