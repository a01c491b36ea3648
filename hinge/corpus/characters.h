// Code points of text that may not be UTF-8, and what kind of character they are.
#pragma once

#include <array>
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

constexpr std::array<CharacterKind, 128> ascii_kinds() {
  std::array<CharacterKind, 128> kinds{};
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    kinds[c] = c <= ' ' || c == 0x7F ? CharacterKind::kSpace : CharacterKind::kSymbol;
    if (c >= 'a' && c <= 'z') kinds[c] = CharacterKind::kLower;
    if (c >= 'A' && c <= 'Z') kinds[c] = CharacterKind::kUpper;
    if (c >= '0' && c <= '9') kinds[c] = CharacterKind::kDigit;
  }
  for (const char c : {'.', '!', '?'}) kinds[static_cast<std::size_t>(c)] = CharacterKind::kEnd;
  for (const char c : {'(', '[', '{'}) kinds[static_cast<std::size_t>(c)] = CharacterKind::kOpen;
  for (const char c : {')', ']', '}'}) kinds[static_cast<std::size_t>(c)] = CharacterKind::kClose;
  for (const char c : {'"', '\''}) kinds[static_cast<std::size_t>(c)] = CharacterKind::kQuote;
  for (const char c : {',', ';', ':', '-', '/', '`'})
    kinds[static_cast<std::size_t>(c)] = CharacterKind::kPunctuation;
  return kinds;
}

inline constexpr std::array<CharacterKind, 128> kAsciiKinds = ascii_kinds();

// For bytes that are not ASCII.
Character long_character_at(std::string_view text, std::size_t at);

// A byte that is not UTF-8 is a letter of one byte.
inline Character character_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return {};
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x80) return {byte, 1, kAsciiKinds[byte]};
  return long_character_at(text, at);
}

// The character that ends at `at`.
Character character_before(std::string_view text, std::size_t at);

}  // namespace hinge
