// Scores of a parser on text with trees.
#pragma once

#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/tasks/dep/model.h"
#include "hinge/tasks/source.h"

namespace hinge::dep {

Evaluation evaluate_parser(const Parser& parser, const Source& source, Workers& workers);

}  // namespace hinge::dep
