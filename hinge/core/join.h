// Joins items into one string: "a, b, c".
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace hinge {

template <typename Range>
std::string join(const Range& items, std::string_view separator) {
  std::string text;
  bool first = true;
  for (const auto& item : items) {
    if (!first) text += separator;
    first = false;
    if constexpr (std::is_convertible_v<decltype(item), std::string_view>)
      text += item;
    else
      text += fmt::format("{}", item);
  }
  return text;
}

}  // namespace hinge
