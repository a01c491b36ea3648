// `hinge train`: one training, one per fold, or one per point of a search.
#pragma once

#include <string>
#include <vector>

#include "cli/job_flags.h"

namespace hinge::cli {

struct TrainFlags : JobFlags {
  std::string resume;  // a checkpoint
  std::vector<std::string> search;
  bool cold = false;
  std::int64_t folds = 0;  // 0: no cross-validation
};

// `train --search`: a grid over any options, or random points; keeps the best model.
void run_search(const JobSettings& settings, const TrainFlags& flags);

// `train --folds`: prints the scores of each fold and their means.
void run_folds(const JobSettings& settings, const TrainFlags& flags);
// Throws OptionError if other settings contradict --folds.
void check_folds(const JobSettings& settings, const TrainFlags& flags);

}  // namespace hinge::cli
