// The spelling of words: pieces and shapes of UTF-8 text, by code points.
#pragma once

#include <string>
#include <string_view>

namespace hinge {

// The first or last n code points, or the whole text if it is shorter.
std::string_view text_prefix(std::string_view text, std::size_t n);
std::string_view text_suffix(std::string_view text, std::size_t n);
std::size_t text_length(std::string_view text);  // in code points

// These functions overwrite `out`, so that callers can reuse its memory.
void text_lower(std::string_view text, std::string& out);
// Upper case X, other letters x, digits d, the rest unchanged; repeats are merged: "iPhone-12" -> "xXx-d".
void text_shape(std::string_view text, std::string& out);
// Every digit becomes 0: "12.5" -> "00.0".
void text_digits(std::string_view text, std::string& out);

}  // namespace hinge
