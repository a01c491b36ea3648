// Porter's stemmer against NLTK's.
#include "hinge/corpus/porter.h"

#include <gtest/gtest.h>

#include "hinge/corpus/stop_words.h"
#include "tests/corpus/porter_stems.h"

namespace hinge {
namespace {

TEST(Porter, StemsWordsAsNltkDoes) {
  for (const auto& [word, stem] : test::kPorterStems) {
    std::string text(word);
    porter_stem(text);
    EXPECT_EQ(text, stem) << word;
  }
}

TEST(Porter, LeavesWordsOfOneOrTwoLettersAlone) {
  for (const std::string word : {"", "s", "as", "is", "y", "by"}) {
    std::string text = word;
    porter_stem(text);
    EXPECT_EQ(text, word);
  }
}

TEST(StopWords, AreFoundAndOthersAreNot) {
  for (const std::string_view word : stop_words()) EXPECT_TRUE(is_stop_word(word)) << word;
  for (const std::string_view word : {"", "screen", "The", "thes", "th"})
    EXPECT_FALSE(is_stop_word(word)) << word;
}

}  // namespace
}  // namespace hinge
