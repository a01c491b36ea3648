// What is written down about a training: the description in its model, a line a pass for logs.
#pragma once

#include <string>
#include <string_view>

#include "hinge/core/options.h"
#include "hinge/files/json.h"
#include "hinge/learn/driver/train.h"
#include "hinge/tasks/system.h"

namespace hinge {

// By name, as text.
Json values_of(const OptionTable& table);

struct ModelRecord {
  const OptionTable& task;
  const OptionTable& learner;
  std::uint64_t seed;
  Loss loss;  // of the learner's objective
};

// A model file.
std::string model_bytes(const TrainingSet& set, const Weights& w, const ModelRecord& record);

std::string_view stop_name(Stop stop);

// One epoch as JSON for logs, with the end of the line.
std::string to_json_line(const EpochReport& report, std::string_view learner);
Json to_json(const EpochReport& report, std::string_view learner);

}  // namespace hinge
