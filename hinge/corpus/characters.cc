#include "hinge/corpus/characters.h"

#include <utf8proc.h>

#include <algorithm>

namespace hinge {
namespace {

using Kind = CharacterKind;

constexpr std::uint32_t kNoCharacter = 0xFFFD;

bool is_ideograph(std::uint32_t code) {
  return (code >= 0x3040 && code <= 0x30FF) || (code >= 0x3400 && code <= 0x4DBF) ||
         (code >= 0x4E00 && code <= 0x9FFF) || (code >= 0xF900 && code <= 0xFAFF) ||
         (code >= 0x20000 && code <= 0x3FFFF);
}

Kind kind_by_category(std::uint32_t code) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
      return Kind::kUpper;
    case UTF8PROC_CATEGORY_LL:
      return Kind::kLower;
    case UTF8PROC_CATEGORY_ND:
      return Kind::kDigit;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_CC:
      return Kind::kSpace;
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PI:
      return Kind::kOpen;
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PF:
      return Kind::kClose;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PO:
      return Kind::kPunctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return Kind::kSymbol;
    default:
      return Kind::kLetter;
  }
}

Kind kind_of(std::uint32_t code) {
  switch (code) {
    case 0x061F:  // Arabic question mark
    case 0x06D4:  // Arabic full stop
    case 0x0964:  // danda
    case 0x2026:  // ellipsis
    case 0x203C:  // !!
    case 0x2047:  // ??
    case 0x2048:  // ?!
    case 0x2049:  // !?
      return Kind::kEnd;
    case 0x3002:
    case 0xFF01:
    case 0xFF1F:
    case 0xFF61:
      return Kind::kWideEnd;
    default:
      return is_ideograph(code) ? Kind::kIdeograph : kind_by_category(code);
  }
}

}  // namespace

Character long_character_at(std::string_view text, std::size_t at) {
  utf8proc_int32_t code = 0;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
  const std::size_t left = std::min<std::size_t>(text.size() - at, 4);
  const utf8proc_ssize_t length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(left), &code);
  if (length < 1) return {kNoCharacter, 1, Kind::kLetter};
  const auto valid = static_cast<std::uint32_t>(code);
  return {valid, static_cast<std::uint32_t>(length), kind_of(valid)};
}

Character character_before(std::string_view text, std::size_t at) {
  if (at == 0) return {};
  for (std::size_t length = 2; length <= std::min<std::size_t>(at, 4); ++length) {
    if (static_cast<unsigned char>(text[at - 1]) < 0x80) break;
    const Character character = character_at(text.substr(0, at), at - length);
    if (character.length == length) return character;
  }
  return character_at(text.substr(0, at), at - 1);
}

}  // namespace hinge
