// What `hinge check` looks for in documents with reference summaries.
#pragma once

#include <span>

#include "hinge/check/corpus_check.h"
#include "hinge/tasks/summarize/reader.h"

namespace hinge::summarize {

void check_topics(const Source& source, Encoding encoding, CorpusCheck& check);

std::span<const FindingKind> finding_kinds();

}  // namespace hinge::summarize
