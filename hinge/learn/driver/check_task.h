// Finds the usual mistakes in your own task by calling it.
//
// A task is called with several weights, with and without the loss. Every answer is
// an output of its example, so an output seen once must never beat a later answer.
// This exposes a search that misses the argmax or ignores the loss.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/core/task.h"

namespace hinge {

struct CheckTaskSettings {
  std::size_t examples = 50;  // how many of the first to check
  std::size_t rounds = 8;     // weights to try, first zero, then random
  std::uint64_t seed = 1;
};

// One sentence per kind of mistake, with the first example that shows it; empty if
// nothing was found.
std::vector<std::string> check_task(const Task& task, const CheckTaskSettings& settings = {});

}  // namespace hinge
