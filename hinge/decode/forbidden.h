#pragma once

namespace hinge {

// The score of what must not be. Large enough to lose against everything,
// small enough that a whole document of them stays finite.
inline constexpr float kForbidden = -1e30f;

}  // namespace hinge
