#include "hinge/features/text.h"

#include <gtest/gtest.h>

#include <vector>

#include "hinge/core/random.h"

namespace hinge {
namespace {

std::string lower(std::string_view text) {
  std::string out = "what was there before";
  text_lower(text, out);
  return out;
}

std::string shape(std::string_view text) {
  std::string out = "what was there before";
  text_shape(text, out);
  return out;
}

std::string digits(std::string_view text) {
  std::string out = "what was there before";
  text_digits(text, out);
  return out;
}

TEST(Text, PrefixesAndSuffixesCountCodePoints) {
  EXPECT_EQ(text_prefix("straße", 5), "straß");
  EXPECT_EQ(text_suffix("straße", 2), "ße");
  EXPECT_EQ(text_prefix("日本語", 1), "日");
  EXPECT_EQ(text_suffix("日本語", 2), "本語");
  EXPECT_EQ(text_prefix("𝕏y", 1), "𝕏");
  EXPECT_EQ(text_suffix("y𝕏", 1), "𝕏");
}

TEST(Text, PrefixesAndSuffixesOfMoreThanThereIsAreTheWhole) {
  for (const std::string_view text : {"", "a", "straße", "日本語"}) {
    EXPECT_EQ(text_prefix(text, 100), text);
    EXPECT_EQ(text_suffix(text, 100), text);
    EXPECT_EQ(text_prefix(text, 0), "");
    EXPECT_EQ(text_suffix(text, 0), "");
  }
}

TEST(Text, PrefixesAndSuffixesAreWhatAListOfLettersGives) {
  const std::vector<std::string> letters = {"a", "Z", "1", "é", "ß", "€", "日", "𝕏", "-", "😀"};
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(seed);
    std::vector<std::string> word(random.below(8));
    std::string text;
    for (std::string& letter : word) {
      letter = letters[random.below(letters.size())];
      text += letter;
    }
    EXPECT_EQ(text_length(text), word.size()) << "seed " << seed;
    for (std::size_t n = 0; n <= word.size(); ++n) {
      std::string head, tail;
      for (std::size_t i = 0; i < n; ++i) head += word[i];
      for (std::size_t i = word.size() - n; i < word.size(); ++i) tail += word[i];
      EXPECT_EQ(text_prefix(text, n), head) << "seed " << seed;
      EXPECT_EQ(text_suffix(text, n), tail) << "seed " << seed;
    }
  }
}

TEST(Text, LowerCaseIsThatOfEveryScript) {
  EXPECT_EQ(lower("Hello WORLD-42"), "hello world-42");
  EXPECT_EQ(lower("ÄÖÜ ÉÇ"), "äöü éç");
  EXPECT_EQ(lower("МОСКВА"), "москва");
  EXPECT_EQ(lower("ΑΒΓ"), "αβγ");
  EXPECT_EQ(lower("日本語"), "日本語");
  EXPECT_EQ(lower("straße"), "straße");
  EXPECT_EQ(lower(""), "");
}

TEST(Text, LowerCaseOfLowerCaseIsItself) {
  for (const std::string_view text : {"Hello", "ÄÖÜ", "ǅ", "İstanbul", "ΑΣ", "ﬁ", "K"})
    EXPECT_EQ(lower(lower(text)), lower(text)) << text;
}

TEST(Text, ShapeFoldsRunsOfOneKind) {
  EXPECT_EQ(shape("iPhone-12"), "xXx-d");
  EXPECT_EQ(shape("USA"), "X");
  EXPECT_EQ(shape("U.S.A."), "X.X.X.");
  EXPECT_EQ(shape("McDonald's"), "XxXx'x");
  EXPECT_EQ(shape("12,345.67"), "d,d.d");
  EXPECT_EQ(shape("--..--"), "-.-");
  EXPECT_EQ(shape("a"), "x");
  EXPECT_EQ(shape(""), "");
}

TEST(Text, ShapeKnowsCaseInEveryScript) {
  EXPECT_EQ(shape("Straße"), "Xx");
  EXPECT_EQ(shape("Äpfel"), "Xx");
  EXPECT_EQ(shape("МОСКВА"), "X");
  EXPECT_EQ(shape("Москва"), "Xx");
  EXPECT_EQ(shape("10€"), "d€");
}

// If such letters were kept, the shape of a Chinese word would be the word itself.
TEST(Text, ShapeOfLettersWithoutCaseIsOneKind) {
  EXPECT_EQ(shape("日本"), shape("中国人"));
  EXPECT_EQ(shape("שלום"), shape("日本"));
}

TEST(Text, DigitsBecomeZeros) {
  EXPECT_EQ(digits("12.5"), "00.0");
  EXPECT_EQ(digits("1990s"), "0000s");
  EXPECT_EQ(digits("straße"), "straße");
  EXPECT_EQ(digits(""), "");
}

TEST(Text, DigitsOfOtherScriptsAreDigitsToo) {
  EXPECT_EQ(digits("٣٤"), "00");
  EXPECT_EQ(shape("٣٤"), "d");
}

}  // namespace
}  // namespace hinge
