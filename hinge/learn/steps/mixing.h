// Iterative parameter mixing: the examples are dealt to shards; in every pass
// each shard learns by itself from the common weights, and the mean of what the
// shards come to is the common weights of the next pass (McDonald, Hall, Mann,
// NAACL 2010, Figure 3; Eidelman 2012, section 4).
//
// A shard hands over nothing but weights, so it may as well be a process on
// another machine. The number of shards is a setting, that of threads is not:
// the bytes are those of the shards, whoever runs them.
#pragma once

#include <functional>
#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/threads.h"

namespace hinge {

// `make` gives a new learner of `task`, one whose weights are all it goes on from.
std::unique_ptr<Learner> make_mixed(const Task& task, std::size_t shards,
                                    std::function<std::unique_ptr<Learner>()> make, Workers& workers);

}  // namespace hinge
