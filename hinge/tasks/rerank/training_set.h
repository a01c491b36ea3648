// N-best lists that a reranker is trained on.
#pragma once

#include <memory>
#include <vector>

#include "hinge/tasks/rerank/features.h"
#include "hinge/tasks/rerank/options.h"
#include "hinge/tasks/system.h"

namespace hinge::rerank {

// `known` are features known from the start; the lists may add to them.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const RerankOptions& options,
                                               const std::vector<FeatureName>& known);

}  // namespace hinge::rerank
