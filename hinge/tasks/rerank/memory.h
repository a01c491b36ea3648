// N-best lists in memory, with references if costs are to be computed.
#pragma once

#include <utility>

#include "hinge/corpus/nbest/lists.h"
#include "hinge/corpus/nbest/references.h"
#include "hinge/tasks/source.h"

namespace hinge::rerank {

// Lists come from an NBestBuilder. Without references, hypotheses have their given
// costs. Throws InputError if a value, score or cost is not finite.
struct Lists final : MemoryData {
  explicit Lists(NBestLists given, References texts = {});
  std::size_t examples() const override { return lists.lists(); }

  NBestLists lists;
  References references;
};

}  // namespace hinge::rerank
