// The table of tasks. A new task is one row here.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "hinge/features/presets.h"
#include "hinge/tasks/system.h"

namespace hinge {

struct TaskRow {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<TaskChoice> (*choose)();
  // The file must outlive the predictor.
  std::unique_ptr<Predictor> (*open)(const ModelFile& file);
  // Feature templates ready made; null: none.
  std::span<const Preset> (*presets)();

  // Where a learner does better with other settings than its own.
  struct Setting {
    std::string_view learner;
    std::string_view option;
    std::string_view value;
  };
  std::string_view learner;  // what `train` uses when the user names none; docs/learners.md says why
  std::span<const Setting> settings = {};
};

std::span<const TaskRow> task_table();

// The presets of all tasks.
std::vector<Preset> all_presets();

// Throws OptionError, with the nearest name, where there is none.
const TaskRow& find_task(std::string_view name);

// The predictor for whatever task the model is of.
std::unique_ptr<Predictor> open_predictor(const ModelFile& file);

}  // namespace hinge
