// Which label sequences are well formed: the schemes of phrase labels.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/tasks/tag/data.h"

namespace hinge::tag {

enum class Scheme { kNone, kIob2, kIobes };

Scheme parse_scheme(std::string_view name);  // kNone where it is none
std::string_view scheme_name(Scheme scheme);

struct Constraints {
  std::vector<float> start;  // [stride], 0 or kForbidden
  std::vector<float> end;    // [stride]
  std::vector<float> edge;   // [labels][stride]
  bool empty() const { return edge.empty(); }
};

Constraints make_constraints(Scheme scheme, std::span<const std::string> labels);
// Whether gold obeys the scheme everywhere.
bool obeys(const ChainData& data, const Constraints& constraints, std::size_t labels);
// The scheme the labels are written in, judged by their prefixes.
Scheme guess_scheme(std::span<const std::string> labels);

}  // namespace hinge::tag
