// Dual learners that decode an example, add its rival to its working set, step on its
// variables, and move on to the next, perhaps with sweeps over all working sets in
// between: `dcd`, `dcd-light` and `ocp`.
//
// With several shards (core/shards.h), the sweeps before a pass are one round of distributed
// dual ascent (learn/dual/rounds.h), and the pass is many. A shard's working sets stay on
// its rank. An averaged model is the mean of w over the rounds.
#pragma once

#include <memory>

#include "hinge/core/threads.h"
#include "hinge/learn/dual/dual_steps.h"

namespace hinge {

// `inner_passes` sweeps come before each pass.
std::unique_ptr<Learner> make_online_dual(const Task& task, const DualSettings& settings,
                                          std::int64_t inner_passes, Workers& workers);

}  // namespace hinge
