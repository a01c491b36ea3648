#include "hinge/corpus/scan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>

namespace hinge {
namespace {

// Digits with or without a point, few enough that both the digits as a whole
// number and the power of ten are exact in a double: their quotient is then the
// double nearest to the text, as from_chars would give it in thrice the time.
bool parse_short_decimal(const char* at, const char* end, double& value) {
  constexpr double kPowers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr std::ptrdiff_t kMostDigits = 15;
  const bool negative = at != end && *at == '-';
  at += negative;
  if (end - at > kMostDigits + 1) return false;
  std::uint64_t digits = 0;
  const char* point = nullptr;
  const char* const begin = at;
  for (; at != end; ++at) {
    const auto digit = static_cast<unsigned char>(*at - '0');
    if (digit < 10) {
      digits = digits * 10 + digit;
    } else if (*at == '.' && point == nullptr) {
      point = at;
    } else {
      return false;
    }
  }
  const std::ptrdiff_t count = end - begin - (point != nullptr);
  if (count == 0 || count > kMostDigits) return false;
  value = static_cast<double>(digits) / kPowers[point == nullptr ? 0 : end - point - 1];
  if (negative) value = -value;
  return true;
}

}  // namespace

bool parse_float(std::string_view text, float& value) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (text.size() > 1 && *begin == '+' && begin[1] != '-') ++begin;
  double wide = 0.0;
  if (!parse_short_decimal(begin, end, wide)) {
    const auto [stop, error] = std::from_chars(begin, end, wide);
    if (error != std::errc() || stop != end) return false;
  }
  // Not isfinite of the float: to convert what is beyond its range is undefined.
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
    --end;  // inside a letter
  std::string part(text.substr(0, end));
  for (char& c : part) {
    if (static_cast<unsigned char>(c) < 0x20) c = '?';
  }
  return end < text.size() ? part + "..." : part;
}

}  // namespace hinge
