// Lines through a point of the weights of n-best lists: all features as dense
// columns, each sorted once within every list, so that the envelopes along a
// coordinate are found in linear time.
#pragma once

#include <memory>

#include "hinge/tasks/rerank/task.h"

namespace hinge::rerank {

// Both must outlive it. Takes 12 bytes per feature and hypothesis.
std::unique_ptr<LineSearch> make_line_search(const NBestLists& lists, std::size_t dimension,
                                             const ChoiceCost& cost);

}  // namespace hinge::rerank
