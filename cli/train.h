// `hinge train`: one training, or one per point of a grid.
#pragma once

#include <string>
#include <vector>

#include "cli/job_flags.h"

namespace hinge::cli {

struct TrainFlags : JobFlags {
  std::string resume;  // a checkpoint
  std::vector<std::string> search;
  bool cold = false;
};

// `train --search`: a grid over any options; the best model by dev score.
void run_search(const JobSettings& settings, const TrainFlags& flags);

}  // namespace hinge::cli
