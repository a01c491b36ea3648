// Code points of text that may not be UTF-8, and what kind of character they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hinge {

enum class CharacterKind : std::uint8_t {
  kSpace,
  kUpper,
  kLower,
  kLetter,  // without case, and everything that is nothing else
  kDigit,
  kIdeograph,  // Han and kana: words are not separated
  kEnd,        // . ! ?
  kWideEnd,    // the ends of CJK sentences; no space follows
  kOpen,       // quotes and brackets
  kClose,
  kQuote,  // " and ', which open and close
  kPunctuation,
  kSymbol,
};

struct Character {
  std::uint32_t code = 0;
  std::uint32_t length = 0;  // in bytes; 0 at the end of the text
  CharacterKind kind = CharacterKind::kSpace;

  bool is_letter() const {
    return kind == CharacterKind::kUpper || kind == CharacterKind::kLower || kind == CharacterKind::kLetter;
  }
};

// A byte that is not UTF-8 is a letter of one byte.
Character character_at(std::string_view text, std::size_t at);
// The character that ends at `at`.
Character character_before(std::string_view text, std::size_t at);

}  // namespace hinge
