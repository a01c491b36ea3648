// The options of the `const` task, and its row in the table of tasks.
#pragma once

#include <memory>

#include "hinge/corpus/brackets.h"
#include "hinge/tasks/constituents/features.h"
#include "hinge/tasks/system.h"

namespace hinge::constituents {

inline constexpr std::int64_t kMostHashBits = 28;
inline constexpr std::int64_t kMostHidden = 4096;

struct ConstOptions {
  std::string grammar = "rules";
  std::string features = "span";
  std::int64_t vertical = 0;
  std::int64_t horizontal = -1;
  std::string errors = "rules";
  std::string tags = "chart";
  double prune = 1e-3;
  bool exact = false;
  std::int64_t folds = 10;
  std::int64_t longest = 0;
  std::int64_t hash_bits = 22;
  std::int64_t min_count = 1;
  std::string clusters;
  std::int64_t hidden = 160;
  std::string embeddings;
  bool keep_functions = false;
  bool keep_empty = false;
  bool names = false;

  void describe(OptionTable& table);
  std::string tag_column;  // that a tagger fills in; "": no tagger

  bool given_tags() const { return tags == "gold" || !tag_column.empty(); }
  std::size_t tag_index() const;
  BracketCleaning cleaning() const { return {keep_functions, keep_empty}; }
  Markovization order() const;
};

FeatureKind parse_kind(std::string_view name);
bool has_network(std::string_view features);

std::unique_ptr<TaskChoice> choose();
std::unique_ptr<Predictor> open(const ModelFile& file);

}  // namespace hinge::constituents
