// Iterative parameter mixing: the examples are divided among shards; in every pass
// each shard learns by itself from the common weights, and the mean of the results
// is the common weights of the next pass (McDonald, Hall, Mann, NAACL 2010, Figure
// 3; Eidelman 2012, section 4).
//
// A shard returns nothing but weights, so it could be a process on another machine.
// Results depend on the number of shards, but not on the number of threads.
#pragma once

#include <functional>
#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/threads.h"

namespace hinge {

// `make` returns a new learner of `task` whose weights are its only state between
// passes.
std::unique_ptr<Learner> make_mixed(const Task& task, std::size_t shards,
                                    std::function<std::unique_ptr<Learner>()> make, Workers& workers);

}  // namespace hinge
