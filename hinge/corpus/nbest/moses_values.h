// `name= v v ... name2= v`: how Moses writes features and weights.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hinge {

struct NamedValue {
  std::string_view name;
  std::uint32_t value_index = 0;  // k for the k-th value of a name, then ending in _k; else 0
  float value = 0.0f;
  std::uint32_t value_count = 0;  // how many values the name has; 0: as many as are given
};

// Appends the values. Consecutive values 1, 2, ... of one name are written after
// that name if all are there; every other value after its own name.
void append_moses_values(std::string& out, std::span<const NamedValue> values, char separator);

}  // namespace hinge
