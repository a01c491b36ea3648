// How a program ends: its exit status, and what it says about an error.
#pragma once

#include <functional>
#include <string>

#include "cli/streams.h"

namespace hinge::cli {

inline constexpr int kBadInput = 1;
inline constexpr int kInternalError = 2;

struct Ending {
  int status = 0;
  std::string message;  // one line about an error that was thrown, or empty
};

Ending run_guarded(const std::function<void()>& program);

}  // namespace hinge::cli
