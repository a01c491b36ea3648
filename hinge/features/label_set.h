// Labels and their numbers, in order of appearance.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/core/number_map.h"

namespace hinge {

class LabelSet {
 public:
  std::uint16_t intern(std::string_view label);
  // size() if unknown.
  std::size_t find(std::string_view label) const;
  // The number of each name, size() if unknown; matches the labels of a model.
  std::vector<std::size_t> find_all(const std::vector<std::string>& names) const;
  std::size_t size() const { return names_.size(); }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::vector<std::string> names_;
  NumberMap ids_;  // by hash of the name
};

}  // namespace hinge
