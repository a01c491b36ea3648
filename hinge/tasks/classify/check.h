// What `hinge check` looks for in texts with a label.
#pragma once

#include <span>

#include "hinge/check/corpus_check.h"
#include "hinge/tasks/classify/reader.h"

namespace hinge::classify {

void check_texts(const Source& source, const TextFormat& format, CorpusCheck& check);

std::span<const FindingKind> finding_kinds();

}  // namespace hinge::classify
