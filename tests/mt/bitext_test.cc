#include "hinge/mt/bitext.h"

#include <gtest/gtest.h>

#include "hinge/core/error.h"
#include "hinge/core/random.h"
#include "hinge/mt/frequency.h"
#include "tests/mt/made_bitext.h"
#include "tests/support/data.h"

namespace hinge::mt {
namespace {

using hinge::test::TemporaryFolder;

std::string message_of(const TemporaryFolder& folder, const std::string& source, const std::string& target,
                       std::int64_t longest = 100) {
  const std::string source_path = folder.write("source", source),
                    target_path = folder.write("target", target);
  try {
    (void)read_bitext(source_path, target_path, {.longest = longest});
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Bitext, HasTheWordsOfBothFiles) {
  const TemporaryFolder folder;
  const std::string source = folder.write("source", "das  Haus\tist klein\r\n das Haus \n");
  const std::string target = folder.write("target", "the house is small\nhouse the");
  const Bitext text = read_bitext(source, target, {});
  ASSERT_EQ(text.sentences(), 2u);
  EXPECT_EQ(text.skipped, 0u);
  EXPECT_TRUE(text.left_out.empty());
  EXPECT_EQ(text.source.words.size(), 4u);
  ASSERT_EQ(text.source.sentence(0).size(), 4u);
  EXPECT_EQ(text.source.words.text(text.source.sentence(0)[3]), "klein");
  ASSERT_EQ(text.target.sentence(1).size(), 2u);
  EXPECT_EQ(text.target.words.text(text.target.sentence(1)[0]), "house");
  EXPECT_EQ(text.target.sentence(1)[1], text.target.sentence(0)[0]);
}

TEST(Bitext, OfFilesWithDifferentNumbersOfLinesIsRefusedWithBothNumbers) {
  const TemporaryFolder folder;
  const std::string shorter = message_of(folder, "a\nb\nc\nd\n", "x\ny\n");
  EXPECT_NE(shorter.find("target: ends after 2 lines"), std::string::npos) << shorter;
  EXPECT_NE(shorter.find("source has 4"), std::string::npos) << shorter;
  const std::string longer = message_of(folder, "a\n", "x\ny\nz");
  EXPECT_NE(longer.find("source: ends after 1 lines"), std::string::npos) << longer;
  EXPECT_NE(longer.find("target has 3"), std::string::npos) << longer;
}

TEST(Bitext, LeavesOutPairsWithAnEmptyOrALongSide) {
  const TemporaryFolder folder;
  const std::string source = folder.write("source", "a\n\nb\n \t\nc c c c\nd d d\ne\n");
  const std::string target = folder.write("target", "x\nx\n\ny\nz\nz z z\nz z z z\n");
  const Bitext text = read_bitext(source, target, {.longest = 3});
  EXPECT_EQ(text.sentences(), 2u);
  EXPECT_EQ(text.skipped, 5u);
  EXPECT_EQ(text.left_out, (std::vector<std::uint64_t>{1, 2, 3, 4, 6}));
  EXPECT_EQ(text.source.words.text(text.source.sentence(1)[0]), "d");
  EXPECT_EQ(text.source.words.find("c"), Words::kNone) << "words of pairs left out";
}

TEST(Bitext, WithoutAnyPairIsRefused) {
  const TemporaryFolder folder;
  for (const std::string text : {"", "\n\n", "a b c d\n"}) {
    const std::string message = message_of(folder, text, text, 3);
    EXPECT_NE(message.find("source"), std::string::npos) << text;
    EXPECT_NE(message.find("1 to 3 words"), std::string::npos) << message;
  }
}

TEST(Bitext, OfInvalidUtf8IsRefusedNamingFileAndLine) {
  const TemporaryFolder folder;
  const std::string source = message_of(folder, "a\nb \xFF\n", "x\ny\n");
  EXPECT_NE(source.find("source:2"), std::string::npos) << source;
  EXPECT_NE(source.find("UTF-8"), std::string::npos) << source;
  const std::string target = message_of(folder, "a\nb\nc\n", "x\ny\nz\xC3\n");
  EXPECT_NE(target.find("target:3"), std::string::npos) << target;
  EXPECT_NE(target.find("UTF-8"), std::string::npos) << target;
}

TEST(Bitext, OfAMissingFileIsRefusedByName) {
  const TemporaryFolder folder;
  const std::string source = folder.write("source", "a\n");
  try {
    (void)read_bitext(source, folder.path("missing"), {});
    FAIL() << "not refused";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("missing"), std::string::npos) << error.what();
  }
}

TEST(Side, KeepsEmptyLines) {
  const TemporaryFolder folder;
  const Side side = read_side(folder.write("side", "\na b\n\n\na\n"));
  ASSERT_EQ(side.sentences(), 5u);
  EXPECT_EQ(side.sentence(0).size(), 0u);
  EXPECT_EQ(side.sentence(1).size(), 2u);
  EXPECT_EQ(side.sentence(4).size(), 1u);
}

TEST(Frequency, NumbersTheMostFrequentWordsFirstAndChangesNoText) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Side side = random_bitext(seed, 1 + seed, 9, 12).source;
    std::vector<std::string> before;
    for (const Word word : side.tokens) before.emplace_back(side.words.text(word));
    std::vector<std::string> first_seen;
    for (Word word = 0; word < side.words.size(); ++word) first_seen.emplace_back(side.words.text(word));
    const auto begin = side.begin;
    number_by_frequency(side);
    EXPECT_EQ(side.begin, begin);
    ASSERT_EQ(side.words.size(), first_seen.size());
    std::vector<std::size_t> counts(side.words.size());
    for (std::size_t i = 0; i < side.tokens.size(); ++i) {
      EXPECT_EQ(side.words.text(side.tokens[i]), before[i]);
      ++counts[side.tokens[i]];
    }
    std::stable_sort(first_seen.begin(), first_seen.end(), [&](const std::string& a, const std::string& b) {
      return counts[side.words.find(a)] > counts[side.words.find(b)];
    });
    for (Word word = 0; word < side.words.size(); ++word) EXPECT_EQ(side.words.text(word), first_seen[word]);
  }
}

}  // namespace
}  // namespace hinge::mt
