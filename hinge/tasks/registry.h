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
  // Built-in feature templates; null: none.
  std::span<const Preset> (*presets)();

  // An option value that suits a learner better on this task than its default.
  struct Setting {
    std::string_view learner;
    std::string_view option;
    std::string_view value;
  };
  std::string_view learner;  // default of `train`; docs/learners.md says why
  std::span<const Setting> settings = {};
};

std::span<const TaskRow> task_table();

// The presets of all tasks.
std::vector<Preset> all_presets();

// Throws OptionError, with the nearest name, if there is no such task.
const TaskRow& find_task(std::string_view name);

// The predictor for the model's task.
std::unique_ptr<Predictor> open_predictor(const ModelFile& file);

}  // namespace hinge
