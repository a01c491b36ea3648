// Trains learners in tests: configured by name, as on the command line, without
// output.
#pragma once

#include <algorithm>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "hinge/core/factored_task.h"
#include "hinge/core/line_task.h"
#include "hinge/core/marginal_task.h"
#include "hinge/learn/driver/train.h"
#include "hinge/learn/registry.h"

namespace hinge::test {

using Options = std::vector<std::pair<std::string, std::string>>;

using Quiet = Observer;

// Interrupts the first pass after `examples`.
class InterruptAfter final : public Quiet {
 public:
  explicit InterruptAfter(std::int64_t examples) : examples_(examples) {}
  bool interrupts(std::int64_t examples_done) override { return examples_done >= examples_; }

 private:
  std::int64_t examples_;
};

// Whether the learner needs this task extension.
template <typename E>
bool asks_for(const LearnerRow& row) {
  return std::ranges::any_of(row.needs, [](const Need& need) { return need.name == E::kName; });
}

std::unique_ptr<LearnerChoice> configured(const std::string& learner, const Options& options);

struct TrainingRun {
  std::string learner;
  Options options;
  std::uint64_t seed = 1;
  int threads = 1;
  ObjectiveWhen objective = ObjectiveWhen::kNever;
};

// All epochs of the learner's options.
TrainResult train_quietly(const Task& task, const TrainingRun& run);

// One pass over the given examples in order, without the driver.
void run_pass(Learner& learner, const std::vector<std::uint32_t>& order, Random& random);

}  // namespace hinge::test
