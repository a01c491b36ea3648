#include "hinge/corpus/scan.h"

#include <algorithm>

namespace hinge {

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
