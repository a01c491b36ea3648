// Pieces of lines: numbers, fast and the same in every locale; what a message shows.
#pragma once

#include <string>
#include <string_view>

namespace hinge {

inline bool is_space(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view text);

// A number that fills `text`, with or without a sign. False where it is none,
// or is not finite as a float. What is too small for one becomes zero (what is
// too small even for a double, which nobody computes, is none), as does minus
// zero, so that equal numbers are equal bytes.
bool parse_float(std::string_view text, float& value);

// What parse_float wants, for messages.
inline constexpr std::string_view kFloatExpected = "a finite number (at most 3.4e38)";

// As much of a text, which is UTF-8, as fits a message of one line.
std::string shown(std::string_view text);

}  // namespace hinge
