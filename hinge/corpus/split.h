// Words of a text, separated by spaces, tabs or line ends.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace hinge {

// Calls body(word) for each.
template <typename Body>
void each_word(std::string_view line, const Body& body) {
  constexpr std::string_view kSpace = " \t\r\n";
  for (std::size_t at = line.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    body(line.substr(at, end - at));
    at = line.find_first_not_of(kSpace, end);
  }
}

// Replaces `words` by them.
inline void split_at_blanks(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  each_word(line, [&words](std::string_view word) { words.push_back(word); });
}

}  // namespace hinge
