// Records of a training run: option values, and a log line per epoch.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/core/options.h"
#include "hinge/files/json.h"
#include "hinge/learn/driver/train.h"

namespace hinge {

// Option values by name, as text, and back. Paths are recorded in their simplest
// form: the bytes of a model do not depend on how a path is spelled.
Json values_of(const OptionTable& table);
void restore_values(OptionTable& table, const std::vector<std::pair<std::string, std::string>>& values);

std::string_view stop_name(Stop stop);

// One epoch as JSON for logs; to_json_line() ends the line.
std::string to_json_line(const EpochReport& report, std::string_view learner);
Json to_json(const EpochReport& report, std::string_view learner);

}  // namespace hinge
