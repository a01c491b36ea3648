#include "hinge/corpus/document_brackets.h"

#include <algorithm>

#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

std::string_view take_until(std::string_view& rest, char separator) {
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view first = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return first;
}

// Whether the line is "#" and, after any blanks, `words` as whole words.
bool is_marker(std::string_view line, std::string_view words) {
  if (!line.starts_with('#')) return false;
  line = trim(line.substr(1));
  return line.starts_with(words) && (line.size() == words.size() || is_space(line[words.size()]));
}

}  // namespace

bool take_bracket(std::string_view& cell, MentionBracket& bracket) {
  const bool opens = cell.starts_with('(');
  const std::size_t begin = opens ? 1 : 0;
  const std::size_t end = std::min(cell.find_first_of("()|", begin), cell.size());
  const bool closes = end < cell.size() && cell[end] == ')';
  if (end == begin || (!opens && !closes)) return false;
  const std::size_t length = end + (closes ? 1 : 0);
  bracket = {cell.substr(0, length), cell.substr(begin, end - begin), opens, closes};
  cell.remove_prefix(length);
  if (cell.size() > 1 && cell[0] == '|') cell.remove_prefix(1);
  return true;
}

std::string_view take_attribute(std::string_view& rest) { return take_until(rest, '|'); }

std::string_view entity_of(std::string_view misc) {
  while (!misc.empty()) {
    const std::string_view attribute = take_attribute(misc);
    if (attribute.starts_with(kEntityKey)) return attribute.substr(kEntityKey.size());
  }
  return {};
}

std::string_view take_field(std::string_view& rest) { return take_until(rest, '-'); }

std::size_t name_field(std::string_view declared) {
  for (std::size_t k = 0; !declared.empty(); ++k) {
    const std::string_view name = take_field(declared);
    if (name == "eid" || name == "GRP") return k;
  }
  return std::string_view::npos;
}

std::optional<std::string_view> field(std::string_view fields, std::size_t k) {
  for (std::size_t j = 0; !fields.empty(); ++j) {
    const std::string_view value = take_field(fields);
    if (j == k) return value;
  }
  return std::nullopt;
}

std::optional<std::string_view> comment_value(std::string_view line, std::string_view key) {
  if (!line.starts_with('#')) return std::nullopt;
  line = trim(line.substr(1));
  if (!line.starts_with(key)) return std::nullopt;
  const std::string_view rest = trim(line.substr(key.size()));
  if (rest.empty()) return rest;
  if (rest[0] != '=') return std::nullopt;
  return trim(rest.substr(1));
}

std::optional<std::string_view> new_document(std::string_view line) {
  const std::optional<std::string_view> name = comment_value(line, "newdoc id");
  return name ? name : comment_value(line, "newdoc");
}

bool begins_document(std::string_view line) { return is_marker(line, "begin document"); }
bool ends_document(std::string_view line) { return is_marker(line, "end document"); }

}  // namespace hinge
