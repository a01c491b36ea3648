// The training data of a resolver.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hinge/tasks/coref/dictionary.h"
#include "hinge/tasks/coref/options.h"
#include "hinge/tasks/system.h"

namespace hinge::coref {

// What the model that training continues from knows; empty by default. It stays even if
// the new data lacks it.
struct Known {
  std::vector<Key> words;  // that are frequent
  std::string columns;     // as the option names them
  std::string templates;
  Dictionary features;  // empty if they are hashed
};
// Throws ModelError if the model belongs to another task.
Known read_known(const ModelFile& model);

std::unique_ptr<TrainingSet> make_training_set(const Source& source, const CorefOptions& options,
                                               const Known& known, Workers& workers);

}  // namespace hinge::coref
