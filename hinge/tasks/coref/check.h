// What `hinge check` looks for in documents with coreference.
#pragma once

#include <span>

#include "hinge/check/corpus_check.h"
#include "hinge/tasks/source.h"

namespace hinge::coref {

void check_documents(const Source& source, CorpusCheck& check);

std::span<const FindingKind> finding_kinds();

}  // namespace hinge::coref
