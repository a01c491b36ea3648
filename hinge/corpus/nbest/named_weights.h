// Weights of named features in a file of text, a name a line:
//
//   name= 0.5         Moses; with several values the features name_1, name_2, ...
//   name= 0.5 -1 2
//   name 0.5          cdec and others
//
// Each line may have either form. Empty lines are skipped, and those that begin
// with # unless that is the name of `#...= value`.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hinge {

struct NamedWeight {
  std::string name;
  float value = 0.0f;
  std::uint32_t value_index = 0;  // k where it is the k-th value of a name, which then ends in _k; or 0

  bool operator==(const NamedWeight&) const = default;
};

enum class WeightStyle { kMoses, kPairs };

// Throws InputError naming file and line.
std::vector<NamedWeight> read_weights(const std::string& path);

// Names are not empty and have no spaces; all values of one follow each other. Read back, the file gives the
// same weights; value_index is lost in pairs.
void write_weights(const std::string& path, std::span<const NamedWeight> weights, WeightStyle style);

}  // namespace hinge
