// The exact k best projective dependency trees: Huang and Chiang (IWPT 2005),
// Algorithm 3. One pass finds the best of every span; the next best of a span is
// computed only when a tree needs it.
#pragma once

#include <vector>

#include "hinge/decode/trees.h"

namespace hinge {

// At most k trees, best first, all distinct; fewer if fewer are allowed. The first
// is the one that Eisner::best finds. A sentence without words has one empty tree.
std::vector<ScoredTree> k_best_projective(const ArcScores& scores, std::size_t k);

}  // namespace hinge
