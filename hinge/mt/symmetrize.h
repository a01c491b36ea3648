// One alignment from the alignments of both directions.
//
//   source              the forward links alone
//   intersection, union
//   grow-diag           the intersection, grown by links of the union next to a
//                       link (also diagonally) if one of their words has none yet
//   grow-diag-final-and then links of either direction whose words both have none
//
// Koehn, Och, Marcu (NAACL 2003), section 3.1; Koehn et al. (IWSLT 2005), section 3.
// The result of growing depends on the order of visits, which is fixed here: all
// links by source, then target position, again until nothing is added, new links
// included when they come up; neighbours in the order of kNeighbours. The last step
// visits forward links before reverse ones, by source, then target position.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hinge/mt/alignment.h"

namespace hinge::mt {

enum class Symmetrization : std::uint8_t { kSource, kIntersection, kUnion, kGrowDiag, kGrowDiagFinalAnd };

// The names above, in the order of the values.
const std::vector<std::string>& symmetrization_names();
Symmetrization symmetrization_by_name(const std::string& name);

struct Step {
  int source;
  int target;
};
inline constexpr Step kNeighbours[] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};

// Both are links (source, target) of all pairs of the text.
Alignment symmetrize(const Alignment& forward, const Alignment& reverse, const Bitext& text,
                     Symmetrization how);

}  // namespace hinge::mt
