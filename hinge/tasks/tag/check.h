// What `hinge check` looks for in sentences with labels.
#pragma once

#include <span>

#include "hinge/check/corpus_check.h"
#include "hinge/tasks/tag/reader.h"

namespace hinge::tag {

// partial: labels may be "?" or "A|B".
void check_sentences(const Source& source, const FileLayout& layout, bool partial, CorpusCheck& check);

std::span<const FindingKind> finding_kinds();

}  // namespace hinge::tag
