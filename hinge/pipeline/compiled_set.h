// Training data that is compiled into a cache once and then only opened
// (files/block_cache.h, docs/cache.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hinge/pipeline/job.h"

namespace hinge {

// The training set of a job with a cache. If the file is there it is opened; if it was
// made from other data or with other options, OptionError says what differs. If not, it is
// compiled from source() first, by rank 0; all ranks open it, and read only what they need.
std::unique_ptr<TrainingSet> load_compiled(Job& job, const std::vector<std::string>& train,
                                           const std::function<Source()>& source, Workers& workers,
                                           JobObserver& observer);

}  // namespace hinge
