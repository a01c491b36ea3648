#include "hinge/tasks/rerank/reader.h"

#include "hinge/core/error.h"
#include "hinge/tasks/rerank/memory.h"

namespace hinge::rerank {

NBestLists read_lists(const Source& source, const NBestOptions& options) {
  const auto memory = memory_of<Lists>(source, "n-best lists");
  if (memory == nullptr) return read_nbest(source.input(), options);
  if (memory->lists.lists() == 0) fail<InputError>("{}: has no lists", source.name());
  return memory->lists;
}

}  // namespace hinge::rerank
