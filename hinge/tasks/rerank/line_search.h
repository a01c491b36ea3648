// Line search over the weights of n-best lists. Features are dense columns, each
// sorted once within every list, so envelopes along a coordinate take linear time.
#pragma once

#include <memory>

#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {

// The lists and what `cost` refers to must outlive it. Takes 12 bytes per feature
// and hypothesis.
std::unique_ptr<LineSearch> make_line_search(const NBestLists& lists, std::size_t dimension,
                                             const ChoiceCost& cost);

}  // namespace hinge::rerank
