// What `hinge check` looks for in dependency trees.
#pragma once

#include <span>

#include "hinge/check/corpus_check.h"
#include "hinge/tasks/source.h"

namespace hinge::dep {

void check_trees(const Source& source, bool labelled, CorpusCheck& check);

std::span<const FindingKind> finding_kinds();

}  // namespace hinge::dep
