// N-best lists from a file or memory.
#pragma once

#include "hinge/corpus/nbest/lists.h"
#include "hinge/tasks/source.h"

namespace hinge::rerank {

// The lists of a file or of memory, which then lives as long as they do.
NBestLists read_lists(const Source& source, const NBestOptions& options);

}  // namespace hinge::rerank
