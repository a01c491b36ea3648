// The usual mistakes in a task of one's own, found by asking it.
//
// A task is probed at several weights, with and without the loss. Every answer
// is an output of its example, so whatever was seen once must never beat the
// answer to a later question: that is how a search that misses the argmax, or
// does not look at the loss, gives itself away.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/core/task.h"

namespace hinge {

struct CheckTaskSettings {
  std::size_t examples = 50;  // the first so many are asked
  std::size_t rounds = 8;     // weights to ask with, the first zero and the others random
  std::uint64_t seed = 1;
};

// One sentence a kind of mistake, with the first example it shows in; empty
// where nothing was found.
std::vector<std::string> check_task(const Task& task, const CheckTaskSettings& settings = {});

}  // namespace hinge
