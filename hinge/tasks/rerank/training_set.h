// The training data of a reranker.
#pragma once

#include <memory>
#include <vector>

#include "hinge/tasks/rerank/features.h"
#include "hinge/tasks/rerank/options.h"
#include "hinge/tasks/system.h"

namespace hinge::rerank {

// The features of the model that training continues from; empty by default. They
// stay even if the new lists lack them.
struct Known {
  std::vector<FeatureName> features;
};
// Throws ModelError if the model belongs to another task.
Known read_known(const ModelFile& model);

// Keeps what is known; the lists may add to it.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const RerankOptions& options,
                                               const Known& known);

}  // namespace hinge::rerank
