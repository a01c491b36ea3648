#include "hinge/evaluate/words.h"

#include <gtest/gtest.h>

#include <map>

#include "hinge/core/random.h"

namespace hinge {
namespace {

Words split(std::string_view line) {
  Words words;
  split_words(line, words);
  return words;
}

TEST(Words, SplitAtWhiteSpaceOfAnyLength) {
  EXPECT_EQ(split("the  old\tferry \r\n"), (Words{"the", "old", "ferry"}));
  EXPECT_EQ(split(" a"), Words{"a"});
  EXPECT_EQ(split(""), Words{});
  EXPECT_EQ(split(" \t "), Words{});
}

TEST(Words, SplitAtSpacesBeyondAsciiAndAtNothingAlike) {
  EXPECT_EQ(split("10\u00A0km\u3000ab\u2009c\u205Fd\u1680e\u2028f\u0085g"),
            (Words{"10", "km", "ab", "c", "d", "e", "f", "g"}));
  EXPECT_EQ(split("é\u200B\u2030\u3001a"), Words{"é\u200B\u2030\u3001a"});  // U+200B is not a space
  EXPECT_EQ(split("a\xE2\x80"), Words{"a\xE2\x80"});  // cut in the middle of a character
}

TEST(Words, ReplaceThoseOfTheLineBefore) {
  Words words = {"x", "y"};
  split_words("z", words);
  EXPECT_EQ(words, Words{"z"});
}

TEST(WordIds, NumberWordsAsTheyCome) {
  WordIds ids;
  EXPECT_EQ(ids.find("b"), WordIds::kUnknown);
  EXPECT_EQ(ids.add("b"), 0u);
  EXPECT_EQ(ids.add("a"), 1u);
  EXPECT_EQ(ids.add("b"), 0u);
  EXPECT_EQ(ids.add(""), 2u);
  EXPECT_EQ(ids.find("a"), 1u);
  EXPECT_EQ(ids.find("c"), WordIds::kUnknown);
  EXPECT_EQ(ids.size(), 3u);
}

TEST(WordIds, ForgetAllWordsWhenCleared) {
  WordIds ids;
  ids.add("a");
  ids.clear();
  EXPECT_EQ(ids.find("a"), WordIds::kUnknown);
  EXPECT_EQ(ids.add("b"), 0u);
}

TEST(WordIds, KeepTheirOwnCopyOfTheText) {
  WordIds ids;
  std::string word = "ferry";
  ids.add(word);
  word = "float";
  EXPECT_EQ(ids.find("ferry"), 0u);
  EXPECT_EQ(ids.find(word), WordIds::kUnknown);
}

TEST(WordIds, AgreeWithAMapOverThousandsOfWords) {
  Random random(5);
  WordIds ids;
  std::map<std::string, std::uint32_t> expected;
  for (int i = 0; i < 20000; ++i) {
    const std::string word = std::to_string(random.below(4000));
    const auto known = expected.find(word);
    ASSERT_EQ(ids.find(word), known == expected.end() ? WordIds::kUnknown : known->second);
    const auto id = static_cast<std::uint32_t>(expected.size());
    ASSERT_EQ(ids.add(word), expected.emplace(word, id).first->second);
  }
}

}  // namespace
}  // namespace hinge
