// What `hinge check` looks for in n-best lists.
#pragma once

#include <span>
#include <string>

#include "hinge/check/corpus_check.h"
#include "hinge/tasks/rerank/reader.h"

namespace hinge::rerank {

// `references`: files of these lists; none if the lists give costs.
void check_lists(const Source& source, const NBestOptions& options, std::span<const std::string> references,
                 CorpusCheck& check);

std::span<const FindingKind> finding_kinds();

}  // namespace hinge::rerank
