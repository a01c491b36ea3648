// Coverage problems as integer programs for Cbc.
#pragma once

#include <cstdint>

#include "hinge/decode/coverage_search.h"

namespace hinge {

struct CbcResult {
  double bound = 0.0;
  bool complete = true;
  std::int64_t nodes = 0;
};

// Improves the incumbent. Prints nothing, and keeps no state between calls.
CbcResult solve_by_cbc(const ReducedCoverage& problem, std::int64_t most_nodes, Incumbent& best);

}  // namespace hinge
