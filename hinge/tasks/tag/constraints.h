// Which label sequences are well formed under a phrase labelling scheme.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/tasks/tag/data.h"

namespace hinge::tag {

enum class Scheme { kNone, kIob2, kIobes };

Scheme parse_scheme(std::string_view name);  // kNone if unknown
std::string_view scheme_name(Scheme scheme);

struct Constraints {
  std::vector<float> start;  // [stride], 0 or kForbidden
  std::vector<float> end;    // [stride]
  std::vector<float> edge;   // [labels][stride]
  bool empty() const { return edge.empty(); }
};

Constraints make_constraints(Scheme scheme, std::span<const std::string> labels);
// Whether all gold labels obey the constraints.
bool obeys(const ChainData& data, const Constraints& constraints, std::size_t labels);
// Whether a token labelled `now` may follow one labelled `before`; "O" begins a sentence.
bool may_follow(Scheme scheme, std::string_view before, std::string_view now);
// Guesses the scheme from the prefixes of labels.
Scheme guess_scheme(std::span<const std::string> labels);

}  // namespace hinge::tag
