// Why tokens got their labels, sentence by sentence.
#pragma once

#include <memory>

#include "hinge/tasks/system.h"
#include "hinge/tasks/tag/lookback.h"
#include "hinge/tasks/tag/model.h"

namespace hinge::tag {

// One per thread. The tagger must outlive it.
std::unique_ptr<LookbackPredictor> make_explainer(const Tagger& tagger, const ExplainSettings& settings);

}  // namespace hinge::tag
