// Trees that a parser is trained on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/features/label_set.h"
#include "hinge/tasks/dep/options.h"
#include "hinge/tasks/system.h"

namespace hinge::dep {

// The labels and features of a model that training continues from. They stay, even
// if the new data lacks them; the default has none.
struct Known {
  LabelSet labels;
  std::vector<Key> keys;  // of the dictionary; none if features are hashed
  std::string pruner;     // a model, for order 2
  bool single_root = true;
};
// Throws ModelError if the model is of another task.
Known read_known(const ModelFile& model);

// What is known stays; the data may add to it. `pruner` is a model of order 1, for
// order 2.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const DepOptions& options,
                                               const Known& known, const std::string& pruner);

}  // namespace hinge::dep
