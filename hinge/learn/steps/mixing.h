// Iterative parameter mixing: in every round each shard of the examples learns by
// itself from the common weights, and the mean of the results is the common weights
// of the next round (McDonald, Hall, Mann, NAACL 2010, Figure 3; Eidelman 2012,
// section 4). A pass has one round or more.
//
// The mean of a weight is over the shards that changed its line (core/lines.h). A mean over all
// would divide the steps of a rare feature by the number of shards, though just one has met it.
//
// The shards of a rank run on its threads. Results depend on the number of shards,
// but not on that of threads or ranks (core/shards.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/threads.h"
#include "hinge/learn/steps/averaging.h"

namespace hinge {

// A learner whose weights are its only state between passes.
class MixableLearner : public Learner {
 public:
  virtual AveragedWeights& weights() = 0;
};

using MakeMixable = std::function<std::unique_ptr<MixableLearner>()>;

// `make` returns a new learner of `task`; it alone if there is only one shard.
std::unique_ptr<Learner> make_mixed(const Task& task, MakeMixable make, std::int64_t rounds,
                                    Workers& workers);

}  // namespace hinge
