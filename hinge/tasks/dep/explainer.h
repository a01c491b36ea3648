// Why words got their heads and labels, sentence by sentence.
#pragma once

#include <memory>

#include "hinge/tasks/dep/model.h"
#include "hinge/tasks/system.h"

namespace hinge::dep {

// One per thread. The parser must outlive it.
std::unique_ptr<SlicePredictor> make_explainer(const Parser& parser, const ExplainSettings& settings);

}  // namespace hinge::dep
