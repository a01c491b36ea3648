// Parsing numbers fast and independently of the locale; shortening text for messages.
#pragma once

#include <string>
#include <string_view>

namespace hinge {

inline bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text);

// Parses all of `text` as a number with an optional sign. False if it is not a
// number or not finite as a float. Too small for a float gives zero (too small
// even for a double is refused). Minus zero becomes zero, so that equal numbers
// have equal bytes.
bool parse_float(std::string_view text, float& value);

// What parse_float accepts, for messages.
inline constexpr std::string_view kFloatExpected = "a finite number (at most 3.4e38)";

// UTF-8 text, shortened to fit a one-line message.
std::string shown(std::string_view text);

}  // namespace hinge
