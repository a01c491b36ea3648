// Whole numbers of JSON as they were written. get<int>() and value() of nlohmann
// cast any number, and true, to the type asked for: what becomes of 2.5 is
// silent, and of 1e300 undefined. These throw its type_error instead.
#pragma once

#include <cstdint>

namespace hinge {

template <typename Json>
std::int64_t whole_number(const Json& value) {
  return value.template get_ref<const std::int64_t&>();
}

// That of an object under `name`.
template <typename Json>
std::int64_t whole_number(const Json& object, const char* name, std::int64_t otherwise) {
  const auto found = object.find(name);
  return found == object.end() ? otherwise : whole_number(*found);
}

}  // namespace hinge
