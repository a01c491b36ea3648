// What reader and writer of documents share: brackets in a cell, MISC, comments.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace hinge {

// "(7", "7)" or "(7)".
struct MentionBracket {
  std::string_view text;   // with its brackets
  std::string_view inner;  // without
  bool opens = false;
  bool closes = false;
};

// Takes the first bracket off the cell, and the '|' after it. False if the cell is empty
// or does not begin with a bracket; then it is unchanged.
bool take_bracket(std::string_view& cell, MentionBracket& bracket);

// Whether a cell of CoNLL-2012 says that there is nothing: "-", "_" or "".
inline bool is_nothing(std::string_view cell) { return cell.empty() || cell == "-" || cell == "_"; }

// Removes the first attribute from the attributes of MISC, "A=1|B=2|...", and returns it.
std::string_view take_attribute(std::string_view& rest);
inline constexpr std::string_view kEntityKey = "Entity=";
// The value of "Entity=" in MISC, or "".
std::string_view entity_of(std::string_view misc);

// Removes the first field from "e7-person-1" and returns it.
std::string_view take_field(std::string_view& rest);
// The index of the field that names the cluster in "eid-etype-head-other"; npos if there is none.
std::size_t name_field(std::string_view declared);
std::optional<std::string_view> field(std::string_view fields, std::size_t k);

// Declares the fields of opening brackets.
inline constexpr std::string_view kEntityComment = "global.Entity";
// "value" of the comment "# key = value", "" of "# key".
std::optional<std::string_view> comment_value(std::string_view line, std::string_view key);

// The name in "# newdoc id = name", "" of "# newdoc".
std::optional<std::string_view> new_document(std::string_view line);
// Whether the line is "#begin document ..." or "#end document ...": of CoNLL-2012.
bool begins_document(std::string_view line);
bool ends_document(std::string_view line);

}  // namespace hinge
