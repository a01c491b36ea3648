// Jobs trained on several ranks, which are threads of one process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "hinge/pipeline/job.h"
#include "tests/support/training.h"

namespace hinge::test {

struct RankRun {
  std::string task, train;
  std::string cache = "";
  std::string learner = "perceptron";
  Options options = {};
  std::int64_t window = 256;
  std::string checkpoint = "";
  std::string epochs = "2";
  std::string dev = "";
  std::string init = "";
  std::int64_t shards = 8;
};

Job job_of(const RankRun& run);

struct RankResult {
  std::string model;                     // of rank 0, which writes it
  std::string lines;                     // said by all ranks
  std::string summary;                   // of the training set
  Scores dev;                            // after the last epoch
  std::vector<std::size_t> blocks_read;  // by each rank
};

// All ranks have the same weights and scores.
RankResult train_on(int ranks, const std::function<Job()>& make);
RankResult train_on(int ranks, const RankRun& run);

// The message of the error that ends it; "" if nothing does.
std::string error_on(int ranks, const RankRun& run);

}  // namespace hinge::test
