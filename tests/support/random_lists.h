// Small random n-best lists with references, and weights.
#pragma once

#include <cstdint>

#include "hinge/tasks/rerank/task.h"
#include "tests/support/data.h"

namespace hinge::rerank {

struct RandomLists {
  NBestLists lists;
  Costs costs;
  Weights w;
};

// Five lists of one to eight hypotheses with up to three features.
RandomLists random_lists(std::uint64_t seed, const test::TemporaryFolder& folder, Metric& metric);

}  // namespace hinge::rerank
