// Weights of named features in a text file, one name per line:
//
//   name= 0.5         Moses; with several values the features name_1, name_2, ...
//   name= 0.5 -1 2
//   name 0.5          cdec and others
//
// Each line may have either form. Empty lines are skipped, as are lines that
// begin with #, except `#...= value`, where # is part of the name.
//
// A moses.ini is read, too: a line such as [weight] begins a section, and only the sections
// [weight] and [weight-file] count. The second names a file of sparse weights, found in the
// folder of the moses.ini or else from where the program runs.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace hinge {

struct NamedWeight {
  std::string name;
  float value = 0.0f;
  std::uint32_t value_index = 0;  // k for the k-th value of a name, then ending in _k; else 0

  bool operator==(const NamedWeight&) const = default;
};

enum class WeightStyle { kMoses, kPairs };

// Throws InputError naming file and line.
std::vector<NamedWeight> read_weights(const std::string& path);

// Names must be non-empty and without spaces, the values of one name consecutive.
// Reading the file gives the same weights, but kPairs loses value_index.
void write_weights(const std::string& path, std::span<const NamedWeight> weights, WeightStyle style);

}  // namespace hinge
