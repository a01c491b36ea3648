// The options of the `dep` task, and its row in the table of tasks.
#pragma once

#include <memory>

#include "hinge/tasks/system.h"

namespace hinge::dep {

struct DepOptions {
  std::string features = "dep";
  std::string columns;
  std::string decoder = "eisner";
  std::int64_t order = 1;
  std::string single_root = "auto";
  bool labelled = true;
  std::string cost = "label";
  double punctuation = 1.0;
  std::int64_t hash_bits = 18;
  std::int64_t label_bits = 16;
  bool names = false;

  void describe(OptionTable& table);
};

std::unique_ptr<TaskChoice> choose();
std::unique_ptr<Predictor> open(const ModelFile& file);

}  // namespace hinge::dep
