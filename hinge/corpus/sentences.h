// Plain text into sentences and tokens, by rules. Ranges are bytes of the text, so what
// is shown to people is always the text itself. One pass; any bytes are accepted: what is
// not UTF-8 counts as a letter of its own.
//
// Rules for sentences: . ! ? and their kin end a sentence, together with the quotes and
// brackets that close after them, if white space or the end of the text follows. Not
// after abbreviations and initials, unless the next word is one that begins sentences;
// not after an ellipsis, unless the next word is capitalized. 。！？ need no space. A
// blank line ends a sentence.
//
// Tokens are those of the Penn Treebank, with quotes kept as they are: punctuation stands
// apart; "don't" is "do" and "n't"; abbreviations keep their period; numbers, addresses
// and words with hyphens stay whole. A Han or kana character is a token.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hinge {

struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
  bool operator==(const TextRange&) const = default;
};

enum class Lines {
  kWrapped,    // a line end is a space, a blank line ends a sentence
  kSentences,  // a line is a sentence
};

// Replaces `sentences` by those of the text, in order, without the white space around
// them. None is empty.
void split_sentences(std::string_view text, Lines lines, std::vector<TextRange>& sentences);

// Replaces `tokens` by those of a sentence, in order; ranges are in `text`. White space is
// in no token, everything else in one.
void split_tokens(std::string_view text, TextRange sentence, std::vector<TextRange>& tokens);

// Latin-1 (ISO 8859-1) as UTF-8; every byte is a character.
std::string latin1_to_utf8(std::string_view bytes);

}  // namespace hinge
