// What people see of training, on the command line and in Python.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "hinge/learn/driver/train.h"

namespace hinge {

// So many epochs are no limit: training ends by a rule of its learner. They are not shown.
inline constexpr std::int64_t kNoLimit = 2147483647;

// "3/10", or "3" without a limit.
std::string epoch_of(std::int64_t epoch, std::int64_t epochs);

// "2h05m", "3m20s", "7s".
std::string time_left(double seconds);

// What a learner or task goes by, or else updates and the loss of the pass; the objective; the
// first `main_scores` of the development data: "  updates 5  loss 3  dev f1 91.20".
std::string epoch_scores(const EpochReport& report, std::size_t main_scores,
                         const std::function<std::string(std::string)>& style = {});

// "  0.50 s  ETA 1m03s", or why training ends.
std::string epoch_time(const EpochReport& report);

}  // namespace hinge
