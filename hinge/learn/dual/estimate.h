// The memory that working sets will need, told before training.
#pragma once

#include "hinge/core/task.h"

namespace hinge {

// Bytes of one constraint (psi and its dual variable) for every example, judged by the
// cuts of some examples, evenly spread, under weights of zero.
double bytes_of_constraints(const Task& task);

}  // namespace hinge
