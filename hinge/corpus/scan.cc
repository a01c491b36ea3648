#include "hinge/corpus/scan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace hinge {

bool parse_float(std::string_view text, float& value) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (text.size() > 1 && *begin == '+' && begin[1] != '-') ++begin;
  double wide = 0.0;
  const auto [stop, error] = std::from_chars(begin, end, wide);
  if (error != std::errc() || stop != end) return false;
  // Checked before converting: a double out of float's range is undefined behaviour.
  if (!(std::abs(wide) <= static_cast<double>(std::numeric_limits<float>::max()))) return false;
  value = static_cast<float>(wide) + 0.0f;
  return true;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::size_t end = std::min(text.size(), kMost);
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
    --end;  // inside a character
  std::string part(text.substr(0, end));
  for (char& c : part) {
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  }
  return end < text.size() ? part + "..." : part;
}

}  // namespace hinge
