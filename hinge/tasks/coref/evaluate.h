// Scores a resolver on labelled documents, and files already resolved.
#pragma once

#include "hinge/core/scores.h"
#include "hinge/core/threads.h"
#include "hinge/tasks/source.h"

namespace hinge::coref {

class Resolver;

Evaluation evaluate_resolver(const Resolver& resolver, const Source& source, Workers& workers);

// Both files must have the same documents with the same words.
Evaluation evaluate_files(const std::string& gold, const std::string& system);

}  // namespace hinge::coref
