// The options of the `tag` task, and its row in the table of tasks.
#pragma once

#include <memory>

#include "hinge/tasks/system.h"

namespace hinge::tag {

struct TagOptions {
  std::string features = "auto";
  std::string format = "auto";
  std::string column;
  std::string constraints = "auto";
  bool constrain_training = false;
  std::int64_t min_count = 1;
  std::int64_t hash_bits = 0;
  double prune = 0.0;
  bool names = false;
  std::string kernel = "linear";
  std::int64_t degree = 2;
  double s = 1.0;
  double r = 1.0;
  std::int64_t kernel_min_count = 1;
  std::string paired;
  bool vectors = false;
  std::int64_t budget = 0;
  std::int64_t kernel_cache = 1000;
  std::string clusters;
  std::string gazetteer;
  std::string costs;
  double miss = 0.0;
  bool partial = false;
  bool all_states = false;
  bool all_transitions = false;

  void describe(OptionTable& table);
  void describe_kernel(OptionTable& table);
};

std::unique_ptr<TaskChoice> choose();
std::unique_ptr<Predictor> open(const ModelFile& file);

}  // namespace hinge::tag
