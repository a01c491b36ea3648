// Spans that may be mentions, found with high recall: a detector (detector.h) chooses
// among them.
#pragma once

#include <vector>

#include "hinge/tasks/coref/tokens.h"

namespace hinge::coref {

// Sorted as mentions are, without repeats. From a dependency tree: for every nominal head
// its left modifiers with none, one, two, ... of what follows it. From constituents: noun phrases. In both
// cases pronouns and named entities, too; without trees runs of nominal tags; without tags names and
// what follows articles.
std::vector<Span> candidate_spans(const Tokens& tokens);

}  // namespace hinge::coref
