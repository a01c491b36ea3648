// Sentences and tokens of made-up text, a rule at a time.
#include "hinge/corpus/sentences.h"

#include <gtest/gtest.h>

#include "hinge/core/random.h"
#include "hinge/corpus/characters.h"

namespace hinge {
namespace {

using Texts = std::vector<std::string>;

Texts sentences_of(std::string_view text, Lines lines = Lines::kWrapped) {
  std::vector<TextRange> ranges;
  split_sentences(text, lines, ranges);
  Texts sentences;
  for (const TextRange& range : ranges) sentences.emplace_back(range.of(text));
  return sentences;
}

Texts tokens_of(std::string_view sentence) {
  std::vector<TextRange> ranges;
  split_tokens(sentence, {0, sentence.size()}, ranges);
  Texts tokens;
  for (const TextRange& range : ranges) tokens.emplace_back(range.of(sentence));
  return tokens;
}

void expect_one(const Texts& texts) {
  for (const std::string& text : texts) EXPECT_EQ(sentences_of(text), Texts{text});
}

TEST(Sentences, EndAtMarksBeforeWhiteSpace) {
  EXPECT_EQ(sentences_of("  It rained. Did it stop? No!  We left \n early.\n"),
            (Texts{"It rained.", "Did it stop?", "No!", "We left \n early."}));
  EXPECT_EQ(sentences_of("what?! really!! ok. fine"), (Texts{"what?!", "really!!", "ok.", "fine"}));
  EXPECT_EQ(sentences_of(""), Texts{});
  EXPECT_EQ(sentences_of(" \n\t \n"), Texts{});
}

TEST(Sentences, KeepTheQuotesAndBracketsThatClose) {
  EXPECT_EQ(sentences_of("She said \"go.\" He went. (It was late.) “Fine.” Yes."),
            (Texts{"She said \"go.\"", "He went.", "(It was late.)", "“Fine.”", "Yes."}));
  expect_one({"\"Stop!\" he said.", "\"It broke.\" she wrote."});
}

TEST(Sentences, GoOnAfterAbbreviations) {
  expect_one({"Mr. Hale met Dr. Voss.", "Take fruit, e.g. pears.", "See p. 12 and Fig. 3 now.",
              "It opened c. 1871 in town.", "The U.S. Navy came.", "J. K. Moor and A. Ruiz sang.",
              "Acme Inc. Chairman Bo Li left.", "She has a Ph.D. in law."});
}

TEST(Sentences, EndAfterAbbreviationsBeforeWordsThatBeginSentences) {
  EXPECT_EQ(sentences_of("We moved to the U.S. The house is old."),
            (Texts{"We moved to the U.S.", "The house is old."}));
  EXPECT_EQ(sentences_of("He works for Acme Corp. It pays."), (Texts{"He works for Acme Corp.", "It pays."}));
  EXPECT_EQ(sentences_of("I said no. Then 12 came."), (Texts{"I said no.", "Then 12 came."}));
}

TEST(Sentences, DoNotEndInNumbersAddressesAndLists) {
  expect_one({"It cost 3.5 or 1,000.25 each.", "See http://a.example/b.c?d=e now.",
              "Ask bo.li@mail.example today.", "1. First open the lid.", "a. Wash the pears."});
}

TEST(Sentences, EndAtAnEllipsisOnlyBeforeACapital) {
  expect_one({"Well... maybe not.", "Well… maybe not.", "So . . . it ends."});
  EXPECT_EQ(sentences_of("Well... Maybe not."), (Texts{"Well...", "Maybe not."}));
}

TEST(Sentences, EndWhereASpaceWasForgotten) {
  EXPECT_EQ(sentences_of("The strap broke.The bag is gone."),
            (Texts{"The strap broke.", "The bag is gone."}));
  expect_one({"I use Node.Js and shop.Example daily."});
}

TEST(Sentences, KeepNotesAndSmileys) {
  EXPECT_EQ(sentences_of("He swam far. [1] [12] Then he slept."),
            (Texts{"He swam far. [1] [12]", "Then he slept."}));
  EXPECT_EQ(sentences_of("Great shoes! :-) They fit."), (Texts{"Great shoes! :-)", "They fit."}));
}

TEST(Sentences, EndAtBlankLines) {
  EXPECT_EQ(sentences_of("A title\n\nA text that\ngoes on\n \nand ends"),
            (Texts{"A title", "A text that\ngoes on", "and ends"}));
}

TEST(Sentences, AreLinesIfAskedFor) {
  EXPECT_EQ(sentences_of("One. Two.\r\n\n  three \nfour", Lines::kSentences),
            (Texts{"One. Two.", "three", "four"}));
}

TEST(Sentences, OfChineseAndJapaneseNeedNoSpace) {
  EXPECT_EQ(sentences_of("今日は雨。「行く！」そうか？はい"),
            (Texts{"今日は雨。", "「行く！」", "そうか？", "はい"}));
}

TEST(Tokens, SetPunctuationApart) {
  EXPECT_EQ(tokens_of("Well, (yes) \"no\"; it's: 5%!"),
            (Texts{"Well", ",", "(", "yes", ")", "\"", "no", "\"", ";", "it", "'s", ":", "5", "%", "!"}));
  EXPECT_EQ(tokens_of("wait...what -- no?!"), (Texts{"wait", "...", "what", "--", "no", "?", "!"}));
  EXPECT_EQ(tokens_of("red,blue 1,000 10:30 well-known and/or"),
            (Texts{"red", ",", "blue", "1,000", "10:30", "well-known", "and/or"}));
  EXPECT_EQ(tokens_of("$5.50 a “deal” — so"), (Texts{"$", "5.50", "a", "“", "deal", "”", "—", "so"}));
}

TEST(Tokens, SplitClitics) {
  EXPECT_EQ(tokens_of("don't CAN'T we'll I'm she'd they’re you've dogs'"),
            (Texts{"do", "n't", "CA", "N'T", "we", "'ll", "I", "'m", "she", "'d", "they", "’re", "you", "'ve",
                   "dogs", "'"}));
  EXPECT_EQ(tokens_of("cannot gonna 'em '90s O'Neil rock'n'roll"),
            (Texts{"can", "not", "gon", "na", "'em", "'90s", "O'Neil", "rock'n'roll"}));
}

TEST(Tokens, KeepThePeriodOfAbbreviations) {
  EXPECT_EQ(tokens_of("Mr. J. Lee of the U.S. ate pears."),
            (Texts{"Mr.", "J.", "Lee", "of", "the", "U.S.", "ate", "pears", "."}));
  EXPECT_EQ(tokens_of("I said no."), (Texts{"I", "said", "no", "."}));
  EXPECT_EQ(tokens_of("pears, figs, etc."), (Texts{"pears", ",", "figs", ",", "etc."}));
  EXPECT_EQ(tokens_of("it is 3.5."), (Texts{"it", "is", "3.5", "."}));
}

TEST(Tokens, KeepAddressesAndSmileys) {
  EXPECT_EQ(tokens_of("See (http://a.example/b?c=d), bo@mail.example or www.b.example. :-)"),
            (Texts{"See", "(", "http://a.example/b?c=d", ")", ",", "bo@mail.example", "or", "www.b.example",
                   ".", ":-)"}));
}

TEST(Tokens, OfChineseAreCharacters) {
  EXPECT_EQ(tokens_of("我爱ABC茶。"), (Texts{"我", "爱", "ABC", "茶", "。"}));
}

// Sentences and tokens follow each other, and only white space is left out.
void expect_cover(std::string_view text, const std::vector<TextRange>& ranges, TextRange all) {
  std::size_t at = all.begin;
  const auto expect_space = [&](std::size_t end) {
    for (; at < end; at += character_at(text, at).length) {
      EXPECT_EQ(character_at(text, at).kind, CharacterKind::kSpace) << text;
    }
  };
  for (const TextRange& range : ranges) {
    ASSERT_LT(range.begin, range.end) << text;
    ASSERT_GE(range.begin, at) << text;
    expect_space(range.begin);
    at = range.end;
  }
  expect_space(all.end);
}

TEST(Tokens, AndSentencesCoverAnyBytes) {
  const Texts pieces = {"a", "I",    "Mr",   ".",    ".", "!",    "\"", "'",    "n't", " ",    "\n",
                        "(", ")",    "[1]",  "5",    ",", "-",    ":",  "…",    "。",  "’",    "“",
                        "é", "\xFF", "\xE2", "\x80", "$", "www.", "茶", "\xF0", "://", "gonna"};
  Random random(11);
  std::vector<TextRange> sentences, tokens;
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (std::size_t n = random.below(14); n > 0; --n) text += pieces[random.below(pieces.size())];
    for (const Lines lines : {Lines::kWrapped, Lines::kSentences}) {
      split_sentences(text, lines, sentences);
      expect_cover(text, sentences, {0, text.size()});
      for (const TextRange& sentence : sentences) {
        split_tokens(text, sentence, tokens);
        expect_cover(text, tokens, sentence);
      }
    }
  }
}

TEST(Latin1, BecomesUtf8) {
  EXPECT_EQ(latin1_to_utf8("caf\xE9 \xFF"
                           "a\x80"),
            "café ÿa\xC2\x80");
  EXPECT_EQ(latin1_to_utf8(""), "");
}

}  // namespace
}  // namespace hinge
