// The learner of a task and its options: the defaults come from the task's row, and
// the user may change them.
#pragma once

#include <memory>
#include <string_view>

#include "hinge/learn/registry.h"
#include "hinge/tasks/registry.h"

namespace hinge {

// Throws OptionError if there is no such learner. An empty `learner` means the
// task's.
std::unique_ptr<LearnerChoice> choose_learner(const TaskRow& task, std::string_view learner);

}  // namespace hinge
