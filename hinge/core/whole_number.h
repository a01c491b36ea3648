// Whole numbers of JSON as they were written. get<int>() of nlohmann casts any
// number, and true, to the type asked for: what becomes of 2.5 is silent, and of
// 1e300 undefined. This throws its type_error instead. Descriptions of models
// are checked as a whole (ModelFile::meta).
#pragma once

#include <cstdint>

namespace hinge {

template <typename Json>
std::int64_t whole_number(const Json& value) {
  return value.template get_ref<const std::int64_t&>();
}

}  // namespace hinge
