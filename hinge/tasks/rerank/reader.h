// N-best lists from a file or memory.
#pragma once

#include "hinge/corpus/nbest/lists.h"
#include "hinge/tasks/source.h"

namespace hinge::rerank {

// Reads a file, or shares the lists in memory and keeps them alive.
NBestLists read_lists(const Source& source, const NBestOptions& options);

}  // namespace hinge::rerank
