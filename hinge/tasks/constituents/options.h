// The options of the `const` task, and its row in the table of tasks.
#pragma once

#include <memory>

#include "hinge/corpus/brackets.h"
#include "hinge/tasks/constituents/features.h"
#include "hinge/tasks/system.h"

namespace hinge::constituents {

inline constexpr std::int64_t kMostHashBits = 28;

struct ConstOptions {
  std::string features = "span";
  std::int64_t vertical = 0;
  std::int64_t horizontal = -1;
  std::string errors = "rules";
  std::string tags = "chart";
  double prune = 1e-5;
  bool exact = false;
  std::int64_t folds = 10;
  std::int64_t longest = 0;
  std::int64_t hash_bits = 22;
  std::string clusters;
  bool keep_functions = false;
  bool keep_empty = false;

  void describe(OptionTable& table);
  BracketCleaning cleaning() const { return {keep_functions, keep_empty}; }
  Markovization order() const;
};

FeatureKind parse_kind(std::string_view name);

std::unique_ptr<TaskChoice> choose();
std::unique_ptr<Predictor> open(const ModelFile& file);

}  // namespace hinge::constituents
