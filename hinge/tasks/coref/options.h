// The options of the `coref` task, and its row in the table of tasks.
#pragma once

#include <memory>

#include "hinge/tasks/system.h"

namespace hinge::coref {

struct CorefOptions {
  std::string features = "coref";
  std::string columns;
  std::string mentions = "predicted";
  double miss = 8.0;
  bool singletons = false;
  double false_anaphor = 0.1;
  double false_new = 3.0;
  double wrong_link = 1.0;
  std::int64_t window = 100;
  std::int64_t word_window = 2000;
  std::int64_t min_count = 20;
  std::int64_t hash_bits = 20;
  bool names = false;
  std::string dictionary = "gold";

  void describe(OptionTable& table);
};

std::unique_ptr<TaskChoice> choose();
std::unique_ptr<Predictor> open(const ModelFile& file);

}  // namespace hinge::coref
