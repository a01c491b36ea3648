#include "hinge/corpus/sentences.h"

#include <algorithm>

#include "hinge/corpus/abbreviations.h"
#include "hinge/corpus/characters.h"
#include "hinge/corpus/emoticons.h"

namespace hinge {
namespace {

using Kind = CharacterKind;

constexpr std::uint32_t kEllipsis = 0x2026;
constexpr std::size_t kLongestNote = 8;

// What ends a sentence: marks, then what closes after them.
struct Ending {
  std::size_t begin = 0;  // of the marks
  std::size_t end = 0;
  std::size_t marks_end = 0;
  bool single_period = false;
  bool ellipsis = false;  // "..", "…", ". ." and longer, without ! and ?
  bool wide = false;
  bool closed = false;  // a quote or bracket closes after the marks
};

// What comes after an ending.
struct Next {
  bool space = false;       // white space precedes it
  bool blank_line = false;  // a blank line or the end of the text precedes it
  std::size_t word = 0;     // the word, behind quotes and brackets that open
  Kind kind = Kind::kSpace;
  bool opened = false;  // behind a quote or bracket
};

class Splitter {
 public:
  Splitter(std::string_view text, std::vector<TextRange>& sentences) : text_(text), sentences_(sentences) {}

  // The sentences of text_[begin, end).
  void split(std::size_t begin, std::size_t end);

 private:
  Ending read_ending(std::size_t at) const;
  bool continues_ellipsis(std::size_t at) const;
  std::size_t skip_note(std::size_t at) const;
  Next look_ahead(std::size_t at) const;
  bool ends_sentence(const Ending& ending, const Next& next) const;
  bool period_ends_sentence(const Ending& ending, const Next& next) const;
  bool ends_without_space(const Ending& ending, const Next& next) const;
  std::string_view word_before(std::size_t end) const;
  std::string_view word_at(std::size_t at) const;
  void add(std::size_t begin, std::size_t end);

  std::string_view text_;  // only up to the end of the part that is split
  std::size_t begin_ = 0;  // of the current sentence
  std::vector<TextRange>& sentences_;
};

TextRange trimmed(std::string_view text, TextRange range) {
  while (range.begin < range.end) {
    const Character first = character_at(text, range.begin);
    if (first.kind != Kind::kSpace) break;
    range.begin += first.length;
  }
  while (range.begin < range.end) {
    const Character last = character_before(text, range.end);
    if (last.kind != Kind::kSpace) break;
    range.end -= last.length;
  }
  return range;
}

bool is_ending(Kind kind) { return kind == Kind::kEnd || kind == Kind::kWideEnd; }

void Splitter::split(std::size_t begin, std::size_t end) {
  text_ = text_.substr(0, end);
  begin_ = begin;
  for (std::size_t at = begin; at < end;) {
    const Character character = character_at(text_, at);
    if (character.code == '\n' && look_ahead(at).blank_line) {
      add(begin_, at);
    } else if (is_ending(character.kind)) {
      const Ending ending = read_ending(at);
      at = ending.end;
      if (ends_sentence(ending, look_ahead(at))) add(begin_, at);
      continue;
    }
    at += character.length;
  }
  add(begin_, end);
}

void Splitter::add(std::size_t begin, std::size_t end) {
  begin_ = end;
  const TextRange sentence = trimmed(text_, {begin, end});
  if (sentence.begin < sentence.end) sentences_.push_back(sentence);
}

// Whether the period at `at` is a later one of ". . .".
bool Splitter::continues_ellipsis(std::size_t at) const {
  return at >= begin_ + 2 && text_[at - 1] == ' ' && text_[at - 2] == '.';
}

Ending Splitter::read_ending(std::size_t at) const {
  Ending ending{.begin = at};
  std::size_t periods = 0, others = 0;
  Character character = character_at(text_, at);
  for (; is_ending(character.kind); character = character_at(text_, at)) {
    if (character.kind == Kind::kWideEnd) ending.wide = true;
    if (character.code == '.') ++periods;
    if (character.code == kEllipsis) periods += 3;
    if (character.code != '.' && character.code != kEllipsis) ++others;
    at += character.length;
  }
  ending.marks_end = at;
  for (; character.kind == Kind::kClose || character.kind == Kind::kQuote;
       character = character_at(text_, at)) {
    at += character.length;
  }
  ending.end = skip_note(at);
  for (std::size_t note = at; ending.end > note; ending.end = skip_note(note)) note = ending.end;
  ending.closed = at > ending.marks_end;
  const bool spaced = continues_ellipsis(ending.begin);
  ending.single_period = periods == 1 && others == 0 && !spaced;
  ending.ellipsis = periods > 0 && others == 0 && !ending.single_period;
  return ending;
}

// Behind "[12]", a reference to a note, or a smiley, which belong to the sentence before
// them; else `at`.
std::size_t Splitter::skip_note(std::size_t at) const {
  std::size_t note = at;
  while (note < text_.size() && text_[note] == ' ') ++note;
  const std::string_view rest = text_.substr(note, kLongestNote);
  if (note > at && (rest.starts_with(":") || rest.starts_with(";") || rest.starts_with("="))) {
    const std::size_t smiley = rest.substr(0, rest.find_first_of(" \n")).size();
    return is_emoticon(rest.substr(0, smiley)) ? note + smiley : at;
  }
  if (!rest.starts_with('[')) return at;
  const std::size_t close = rest.find_first_not_of("0123456789", 1);
  return close != rest.npos && close > 1 && rest[close] == ']' ? note + close + 1 : at;
}

Next Splitter::look_ahead(std::size_t at) const {
  Next next;
  std::size_t line_ends = 0;
  Character character = character_at(text_, at);
  for (; character.length > 0 && character.kind == Kind::kSpace; character = character_at(text_, at)) {
    if (character.code == '\n') ++line_ends;
    next.space = true;
    at += character.length;
  }
  next.blank_line = line_ends > 1 || character.length == 0;
  while (character.kind == Kind::kOpen || character.kind == Kind::kQuote || character.code == '`') {
    next.opened = true;
    at += character.length;
    character = character_at(text_, at);
  }
  next.word = at;
  next.kind = character.kind;
  return next;
}

std::string_view Splitter::word_at(std::size_t at) const {
  std::size_t end = at;
  for (Character c = character_at(text_, end); c.is_letter(); c = character_at(text_, end)) end += c.length;
  return text_.substr(at, end - at);
}

// Letters, digits and periods that end at `end`. Only so many, since addresses can be
// long and abbreviations are short.
std::string_view Splitter::word_before(std::size_t end) const {
  constexpr std::size_t kMost = 40;
  std::size_t begin = end;
  while (begin > begin_ && end - begin < kMost) {
    const Character c = character_before(text_, begin);
    if (!c.is_letter() && c.kind != Kind::kDigit && c.code != '.') break;
    begin -= c.length;
  }
  return text_.substr(begin, end - begin);
}

bool Splitter::ends_sentence(const Ending& ending, const Next& next) const {
  if (ending.wide || next.blank_line) return true;
  if (!next.space) return ends_without_space(ending, next);
  if (is_ending(next.kind) && !next.opened) return false;  // ". . ."
  if (ending.single_period) return period_ends_sentence(ending, next);
  if (ending.ellipsis) return next.kind != Kind::kLower;
  // "Stop!" he said.
  return !ending.closed || next.kind != Kind::kLower;
}

bool is_digits(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool Splitter::period_ends_sentence(const Ending& ending, const Next& next) const {
  const std::string_view word = word_before(ending.begin);
  // A number that is all of the sentence numbers a list.
  const bool all = static_cast<std::size_t>(word.data() - text_.data()) == begin_ ||
                   look_ahead(begin_).word == static_cast<std::size_t>(word.data() - text_.data());
  if (all && (is_digits(word) || word.size() == 1)) return false;
  const bool starter = is_sentence_starter(word_at(next.word));
  const Abbreviation abbreviation = abbreviation_of(word);
  if (abbreviation == Abbreviation::kTitle) return false;
  if (abbreviation == Abbreviation::kBeforeNumber) return next.kind != Kind::kDigit;
  const bool initial = word.size() == 1 && word[0] >= 'A' && word[0] <= 'Z';
  const bool dotted = word.find('.') != word.npos && !is_digits(word.substr(word.rfind('.') + 1));
  if (abbreviation == Abbreviation::kAny || initial || dotted)
    return starter || (next.opened && next.kind == Kind::kUpper);
  return next.kind != Kind::kLower || !ending.closed;
}

// A space was forgotten: "It broke.Then I".
bool Splitter::ends_without_space(const Ending& ending, const Next& next) const {
  if (ending.closed || next.opened || next.kind != Kind::kUpper) return false;
  const std::string_view word = word_before(ending.begin);
  if (word.size() < 2 || word.find('.') != word.npos) return false;
  const bool lower = std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
  return lower && is_sentence_starter(word_at(next.word));
}

}  // namespace

void split_sentences(std::string_view text, Lines lines, std::vector<TextRange>& sentences) {
  sentences.clear();
  if (lines == Lines::kWrapped) {
    Splitter(text, sentences).split(0, text.size());
    return;
  }
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const TextRange line = trimmed(text, {begin, end});
    if (line.begin < line.end) sentences.push_back(line);
    begin = end + 1;
  }
}

std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 8);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | byte >> 6);
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

}  // namespace hinge
