#pragma once

namespace hinge {

// The score of anything forbidden: low enough to lose against everything, yet
// finite when summed over a whole document.
inline constexpr float kForbidden = -1e30f;

}  // namespace hinge
