// N-best lists that a reranker is trained on.
#pragma once

#include <memory>
#include <vector>

#include "hinge/tasks/rerank/features.h"
#include "hinge/tasks/rerank/options.h"
#include "hinge/tasks/system.h"

namespace hinge::rerank {

// The features of a model that training continues from. They stay, even if the new
// lists lack them; the default has none.
struct Known {
  std::vector<FeatureName> features;
};
// Throws ModelError if the model is of another task.
Known read_known(const ModelFile& model);

// What is known stays; the lists may add to it.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const RerankOptions& options,
                                               const Known& known);

}  // namespace hinge::rerank
