// What `hinge check` looks for in phrase-structure trees.
#pragma once

#include <span>

#include "hinge/check/corpus_check.h"
#include "hinge/tasks/source.h"

namespace hinge::constituents {

void check_trees(const Source& source, CorpusCheck& check);

std::span<const FindingKind> finding_kinds();

}  // namespace hinge::constituents
