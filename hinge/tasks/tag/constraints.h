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
// Whether all gold labels obey the constraints. A meeting.
bool obeys(const Corpus& corpus, const Constraints& constraints);
// Whether a token labelled `now` may follow one labelled `before`; "O" begins a sentence.
bool may_follow(Scheme scheme, std::string_view before, std::string_view now);
// Guesses the scheme from the prefixes of labels.
Scheme guess_scheme(std::span<const std::string> labels);

// A few tokens with a label outside the scheme, such as a cell that slipped, do not hide it.
struct NearScheme {
  Scheme scheme = Scheme::kNone;  // of at least 99 % of the tokens, or of all but three
  std::vector<bool> stray;        // [labels], whether it is outside the scheme
};
// `counts`: how many tokens have each label.
NearScheme nearly_all_follow(std::span<const std::string> labels, std::span<const std::size_t> counts);
// The first such label of the data; "" if there is none or no scheme. A meeting.
std::string stray_label(const Corpus& corpus);

}  // namespace hinge::tag
