// Words numbered by how often they occur, so that the most frequent are those below a
// number, and share cache lines.
#pragma once

#include "hinge/mt/bitext.h"

namespace hinge::mt {

// Equally frequent words keep their order.
void number_by_frequency(Side& side);

}  // namespace hinge::mt
