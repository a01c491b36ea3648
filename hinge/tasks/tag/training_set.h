// Labelled sentences that a tagger is trained on.
#pragma once

#include <memory>

#include "hinge/features/label_set.h"
#include "hinge/tasks/system.h"
#include "hinge/tasks/tag/options.h"

namespace hinge::tag {

// `labels` are known from the start; the data may add to them.
std::unique_ptr<TrainingSet> make_training_set(const Source& source, const TagOptions& options,
                                               const LabelSet& labels);

}  // namespace hinge::tag
