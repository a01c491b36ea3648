#include "hinge/corpus/nbest/moses_values.h"

#include <fmt/core.h>

#include <iterator>

namespace hinge {
namespace {

// The name that several values share, or "" if this is not one of them.
std::string_view shared_name(const NamedValue& value) {
  if (value.value_index == 0) return {};
  const std::string suffix = fmt::format("_{}", value.value_index);
  if (!value.name.ends_with(suffix)) return {};
  return value.name.substr(0, value.name.size() - suffix.size());
}

// How many leading values are values 1, 2, ... of one name.
std::size_t run_of_values(std::span<const NamedValue> values, std::string_view name) {
  std::size_t length = 0;
  while (length < values.size() && values[length].value_index == length + 1 &&
         shared_name(values[length]) == name) {
    ++length;
  }
  return length;
}

}  // namespace

void append_moses_values(std::string& out, std::span<const NamedValue> values, char separator) {
  for (bool first = true; !values.empty(); first = false) {
    if (!first) out += separator;
    const std::string_view shared = shared_name(values[0]);
    const std::size_t run = shared.empty() ? 0 : run_of_values(values, shared);
    // A single value after the shared name would be read back as a feature of
    // that name, and an incomplete set of values as a truncated line.
    const bool joined = run > 1 && (values[0].value_count == 0 || values[0].value_count == run);
    const std::size_t count = joined ? run : 1;
    out += joined ? shared : values[0].name;
    out += '=';
    for (const NamedValue& value : values.first(count)) {
      fmt::format_to(std::back_inserter(out), " {}", value.value);
    }
    values = values.subspan(count);
  }
}

}  // namespace hinge
