// Which learner for which task, and how it is set: what a task's row says of it,
// which the user may change.
#pragma once

#include <memory>
#include <string_view>

#include "hinge/learn/registry.h"
#include "hinge/tasks/registry.h"

namespace hinge {

// Throws OptionError where there is no such learner. `learner` may be empty: the task's.
std::unique_ptr<LearnerChoice> choose_learner(const TaskRow& task, std::string_view learner);

}  // namespace hinge
