// The training data of a parser.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hinge/features/hash.h"
#include "hinge/features/label_set.h"
#include "hinge/files/block_cache.h"
#include "hinge/tasks/dep/names.h"
#include "hinge/tasks/dep/options.h"
#include "hinge/tasks/system.h"

namespace hinge::dep {

// The labels and features of the model that training continues from; empty by
// default. They stay even if the new data lacks them.
struct Known {
  LabelSet labels;
  std::vector<Key> keys;  // of the dictionary; empty if hashed
  std::string pruner;     // a model, for order 2
  bool single_root = true;
  std::string columns;  // as the option names them
  TreeNames names;      // of rows
};
// Throws ModelError if the model belongs to another task.
Known read_known(const ModelFile& model);

// Keeps what is known; the data may add to it. `pruner` is a first-order model,
// for order 2.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const DepOptions& options,
                                               const Known& known, const std::string& pruner);

// The same in two steps: data that need not fit in memory is compiled, then opened.
void compile_training_set(const Source& source, const DepOptions& options, const Known& known,
                          const std::string& pruner, SpillSpace& space, BlockCacheWriter& out);
std::unique_ptr<TrainingSet> open_training_set(std::shared_ptr<BlockCache> cache, const DepOptions& options,
                                               const Known& known);

}  // namespace hinge::dep
