// Words of a line, separated by spaces or tabs.
#pragma once

#include <algorithm>
#include <string_view>

namespace hinge::mt {

// Calls body(word) for each.
template <typename Body>
void each_word(std::string_view line, const Body& body) {
  constexpr std::string_view kSpace = " \t\r";
  for (std::size_t at = line.find_first_not_of(kSpace); at != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kSpace, at), line.size());
    body(line.substr(at, end - at));
    at = line.find_first_not_of(kSpace, end);
  }
}

}  // namespace hinge::mt
