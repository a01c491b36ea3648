// `name= v v ... name2= v`: how Moses writes features and weights.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hinge {

struct NamedValue {
  std::string_view name;
  std::uint32_t value_index = 0;  // k where it is the k-th value of a name, which then ends in _k; or 0
  float value = 0.0f;
  std::uint32_t value_count = 0;  // how many values the name has, or 0: as many as are there
};

// Appends the values. All values 1, 2, ... of one name, where they follow each
// other, stand behind that name, anything else behind its own.
void append_moses_values(std::string& out, std::span<const NamedValue> values, char separator);

}  // namespace hinge
