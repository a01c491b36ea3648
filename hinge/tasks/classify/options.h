// The options of the `classify` task, and its row in the table of tasks.
#pragma once

#include <memory>

#include "hinge/tasks/system.h"

namespace hinge::classify {

inline constexpr std::int64_t kMostNGrams = 10;
inline constexpr std::int64_t kMostHashBits = 28;

struct ClassifyOptions {
  std::string format = "auto";
  std::string label_prefix = "__label__";
  bool lowercase = false;
  std::int64_t ngrams = 2;
  std::string chars = "0";
  std::int64_t hash_bits = 20;
  std::int64_t min_count = 1;
  double prune = 0.0;
  bool names = false;

  void describe(OptionTable& table);
};

std::unique_ptr<TaskChoice> choose();
std::unique_ptr<Predictor> open(const ModelFile& file);

}  // namespace hinge::classify
