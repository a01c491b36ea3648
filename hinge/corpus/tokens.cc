// Tokens of a sentence, for sentences.h: what stands between white space is peeled from
// both sides, then cut inside, then clitics come off.
#include <algorithm>
#include <array>

#include "hinge/corpus/abbreviations.h"
#include "hinge/corpus/characters.h"
#include "hinge/corpus/emoticons.h"
#include "hinge/corpus/sentences.h"

namespace hinge {
namespace {

using Kind = CharacterKind;

constexpr std::uint32_t kRightQuote = 0x2019;  // also the apostrophe
constexpr std::size_t kLongestWord = 8;        // of the lists below

bool is_apostrophe(std::uint32_t code) { return code == '\'' || code == kRightQuote; }

// Compares without case; `lower` is in lower case.
bool equals(std::string_view word, std::string_view lower) {
  return word.size() == lower.size() &&
         std::equal(word.begin(), word.end(), lower.begin(), [](char c, char low) {
           return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == low;
         });
}

template <std::size_t n>
bool is_one_of(std::string_view word, const std::array<std::string_view, n>& list) {
  if (word.empty() || word.size() > kLongestWord) return false;
  return std::any_of(list.begin(), list.end(), [&](std::string_view other) { return equals(word, other); });
}

constexpr std::array<std::string_view, 6> kClitics = {"s", "m", "d", "ll", "re", "ve"};
// After an apostrophe at the beginning of a word.
constexpr std::array<std::string_view, 13> kShortened = {"s",   "m",   "d",    "ll",    "re", "ve", "em",
                                                         "til", "tis", "twas", "cause", "n",  "t"};
// Two words written as one; the first has three letters.
constexpr std::array<std::string_view, 6> kJoined = {"cannot", "gonna", "gotta", "wanna", "gimme", "lemme"};

bool is_address(std::string_view text) {
  return text.find("://") != text.npos || equals(text.substr(0, 4), "www.");
}

class Tokenizer {
 public:
  Tokenizer(std::string_view text, std::size_t end, std::vector<TextRange>& tokens)
      : text_(text.substr(0, end)), tokens_(tokens) {}

  void split(std::size_t begin);

 private:
  void split_chunk(std::size_t begin, std::size_t end);
  std::size_t opening_length(std::size_t begin, std::size_t end) const;
  std::size_t closing_length(std::size_t begin, std::size_t end) const;
  bool keeps_period(std::size_t begin, std::size_t end) const;
  void split_inside(std::size_t begin, std::size_t end);
  std::size_t cut_length(std::size_t begin, std::size_t at, std::size_t end) const;
  void split_clitics(std::size_t begin, std::size_t end);
  void split_joined(std::size_t begin, std::size_t end);
  std::size_t run_length(std::size_t at, std::size_t end) const;
  void add(std::size_t begin, std::size_t end) {
    if (begin < end) tokens_.push_back({begin, end});
  }

  std::string_view text_;  // up to the end of the sentence
  std::vector<TextRange>& tokens_;
};

void Tokenizer::split(std::size_t begin) {
  for (std::size_t at = begin; at <= text_.size();) {
    const Character character = character_at(text_, at);
    const bool space = character.length == 0 || character.kind == Kind::kSpace;
    if (space) split_chunk(begin, at);
    at += std::max<std::size_t>(character.length, 1);
    if (space) begin = at;
  }
}

bool is_plain_word(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

void Tokenizer::split_chunk(std::size_t begin, std::size_t end) {
  if (is_plain_word(text_.substr(begin, end - begin))) {  // most are
    split_joined(begin, end);
    return;
  }
  while (begin < end && !is_emoticon(text_.substr(begin, end - begin))) {
    const std::size_t length = opening_length(begin, end);
    if (length == 0) break;
    add(begin, begin + length);
    begin += length;
  }
  std::size_t word_end = end;
  while (begin < word_end && !is_emoticon(text_.substr(begin, word_end - begin))) {
    const std::size_t length = closing_length(begin, word_end);
    if (length == 0) break;
    word_end -= length;
  }
  const std::string_view word = text_.substr(begin, word_end - begin);
  if (is_emoticon(word) || is_address(word)) {
    add(begin, word_end);
  } else {
    split_inside(begin, word_end);
  }
  // Forward again, since what closes was found from the end.
  for (std::size_t at = word_end; at < end;) {
    const std::size_t length =
        is_emoticon(text_.substr(at, end - at)) ? end - at : std::max<std::size_t>(run_length(at, end), 1);
    add(at, at + length);
    at += length;
  }
}

// Marks that are repeated are one token: "...", "!!", "--", "''".
std::size_t Tokenizer::run_length(std::size_t at, std::size_t end) const {
  const Character first = character_at(text_, at);
  if (first.kind == Kind::kClose || first.kind == Kind::kOpen || first.code == '"') return first.length;
  std::size_t run = first.length;
  while (at + run < end && character_at(text_, at + run).code == first.code) run += first.length;
  return run;
}

std::size_t Tokenizer::opening_length(std::size_t begin, std::size_t end) const {
  const Character first = character_at(text_, begin);
  if (is_apostrophe(first.code)) {
    const std::string_view rest = text_.substr(begin + first.length, end - begin - first.length);
    const Character second = character_at(rest, 0);
    if (second.kind == Kind::kDigit || is_one_of(rest, kShortened)) return 0;
  }
  const bool opens = first.kind == Kind::kOpen || first.kind == Kind::kQuote || first.kind == Kind::kClose ||
                     first.kind == Kind::kWideEnd || first.code == '`' || first.code == '*' ||
                     first.code == '<' || first.code == '>' || first.code == '$';
  return opens ? run_length(begin, end) : 0;
}

std::size_t Tokenizer::closing_length(std::size_t begin, std::size_t end) const {
  const Character last = character_before(text_, end);
  if (last.code == '.') {
    const bool single = end - begin < 2 || text_[end - 2] != '.';
    return single && keeps_period(begin, end) ? 0 : 1;
  }
  const bool closes = last.kind == Kind::kClose || last.kind == Kind::kOpen || last.kind == Kind::kQuote ||
                      last.kind == Kind::kEnd || last.kind == Kind::kWideEnd || last.code == ',' ||
                      last.code == ';' || last.code == ':' || last.code == '%' || last.code == '*' ||
                      last.code == '<' || last.code == '>';
  return closes ? last.length : 0;
}

// Whether the last period belongs to the word. At the end of a sentence many abbreviations
// are more likely words: no, ed, max.
bool Tokenizer::keeps_period(std::size_t begin, std::size_t end) const {
  const std::string_view word = text_.substr(begin, end - 1 - begin);
  const bool upper = !word.empty() && word[0] >= 'A' && word[0] <= 'Z';
  std::size_t after = end;  // quotes and brackets may close before the sentence ends
  for (Character c = character_at(text_, after); c.kind == Kind::kClose || c.kind == Kind::kQuote;
       c = character_at(text_, after)) {
    after += c.length;
  }
  const bool is_last = after == text_.size();
  const std::size_t dot = word.rfind('.');
  // U.S., Ph.D., but not "3.5." or "example.com."
  if (dot != word.npos)
    return word.size() - dot <= 2 && dot > 0 && !(word.back() >= '0' && word.back() <= '9');
  if (word.size() == 1) return upper && !(is_last && word == "I");
  const Abbreviation abbreviation = abbreviation_of(word);
  if (!is_last) return abbreviation != Abbreviation::kNone;
  return equals(word, "etc") ||
         (upper && (abbreviation == Abbreviation::kAny || abbreviation == Abbreviation::kTitle));
}

void Tokenizer::split_inside(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end;) {
    const std::size_t length = cut_length(begin, at, end);
    if (length == 0) {
      at += character_at(text_, at).length;
      continue;
    }
    split_clitics(begin, at);
    add(at, at + length);
    at += length;
    begin = at;
  }
  split_clitics(begin, end);
}

// How much is a token of its own at `at`; 0 if the character belongs to a word.
std::size_t Tokenizer::cut_length(std::size_t begin, std::size_t at, std::size_t end) const {
  const Character here = character_at(text_, at);
  if (here.is_letter() || here.kind == Kind::kDigit) return 0;
  if (here.kind == Kind::kIdeograph) return here.length;
  const Kind before = at > begin ? character_before(text_, at).kind : Kind::kSpace;
  const Kind after = at + here.length < end ? character_at(text_, at + here.length).kind : Kind::kSpace;
  if (is_apostrophe(here.code)) return 0;
  if (here.code == ',' || here.code == ':') {
    return before == Kind::kDigit && after == Kind::kDigit ? 0 : here.length;
  }
  if (here.code == '.' || here.code == '-') {
    const std::size_t run = run_length(at, end);
    return run > 1 ? run : 0;
  }
  if (here.code == '/' || here.code == '`' || (here.code < 0x80 && here.kind == Kind::kSymbol)) return 0;
  return run_length(at, end);
}

void Tokenizer::split_joined(std::size_t begin, std::size_t end) {
  const std::size_t cut = is_one_of(text_.substr(begin, end - begin), kJoined) ? begin + 3 : end;
  add(begin, cut);
  add(cut, end);
}

void Tokenizer::split_clitics(std::size_t begin, std::size_t end) {
  std::size_t suffix = end;  // letters after the last apostrophe
  while (suffix > begin && end - suffix <= 2 && character_before(text_, suffix).is_letter()) {
    suffix -= character_before(text_, suffix).length;
  }
  const Character mark = suffix > begin ? character_before(text_, suffix) : Character{};
  std::size_t cut = end;
  if (is_apostrophe(mark.code)) {
    const std::string_view letters = text_.substr(suffix, end - suffix);
    const std::size_t apostrophe = suffix - mark.length;
    if (is_one_of(letters, kClitics)) cut = apostrophe;
    const bool is_not =
        equals(letters, "t") && apostrophe > begin && equals(text_.substr(apostrophe - 1, 1), "n");
    if (is_not) cut = apostrophe - 1;
  }
  split_joined(begin, cut);
  add(std::max(begin, cut), end);
}

}  // namespace

void split_tokens(std::string_view text, TextRange sentence, std::vector<TextRange>& tokens) {
  tokens.clear();
  Tokenizer(text, sentence.end, tokens).split(sentence.begin);
}

}  // namespace hinge
