#include "hinge/features/text.h"

#include <utf8proc.h>

namespace hinge {
namespace {

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

// Calls body(code point) for each; readers have checked that the text is UTF-8.
template <typename Body>
void each_code_point(std::string_view text, const Body& body) {
  for (std::size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    utf8proc_int32_t code = byte;
    utf8proc_ssize_t length = 1;
    if (byte >= 0x80) {
      const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
      length = utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &code);
      if (length < 1) {  // only for text that did not come from a reader
        code = 0xFFFD;
        length = 1;
      }
    }
    body(code);
    at += static_cast<std::size_t>(length);
  }
}

void append(utf8proc_int32_t code, std::string& out) {
  if (code < 0x80) {
    out.push_back(static_cast<char>(code));
    return;
  }
  utf8proc_uint8_t bytes[4];
  const utf8proc_ssize_t length = utf8proc_encode_char(code, bytes);
  out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(length));
}

bool is_digit(utf8proc_int32_t code) {
  if (code < 0x80) return code >= '0' && code <= '9';
  return utf8proc_category(code) == UTF8PROC_CATEGORY_ND;
}

utf8proc_int32_t shape_of(utf8proc_int32_t code) {
  if (is_digit(code)) return 'd';
  if (code < 0x80) {
    if (code >= 'a' && code <= 'z') return 'x';
    return code >= 'A' && code <= 'Z' ? 'X' : code;
  }
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
      return 'X';
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return 'x';
    default:
      return code;
  }
}

}  // namespace

std::string_view text_prefix(std::string_view text, std::size_t n) {
  std::size_t end = 0;
  for (; n > 0 && end < text.size(); --n) {
    ++end;
    while (end < text.size() && is_continuation(text[end])) ++end;
  }
  return text.substr(0, end);
}

std::string_view text_suffix(std::string_view text, std::size_t n) {
  std::size_t begin = text.size();
  for (; n > 0 && begin > 0; --n) {
    --begin;
    while (begin > 0 && is_continuation(text[begin])) --begin;
  }
  return text.substr(begin);
}

std::size_t text_length(std::string_view text) {
  std::size_t length = 0;
  for (const char byte : text) length += !is_continuation(byte);
  return length;
}

void text_lower(std::string_view text, std::string& out) {
  out.clear();
  each_code_point(text, [&out](utf8proc_int32_t code) {
    append(code < 0x80 ? (code >= 'A' && code <= 'Z' ? code + 32 : code) : utf8proc_tolower(code), out);
  });
}

void text_shape(std::string_view text, std::string& out) {
  out.clear();
  utf8proc_int32_t previous = -1;
  each_code_point(text, [&](utf8proc_int32_t code) {
    const utf8proc_int32_t shape = shape_of(code);
    if (shape != previous) append(shape, out);
    previous = shape;
  });
}

void text_digits(std::string_view text, std::string& out) {
  out.clear();
  each_code_point(text, [&out](utf8proc_int32_t code) { append(is_digit(code) ? '0' : code, out); });
}

}  // namespace hinge
