// The k best projective dependency trees, exactly: Huang and Chiang (IWPT 2005),
// Algorithm 3. One pass for the best of every span; from there on, the next best
// of a span is only worked out when a tree asks for it.
#pragma once

#include <vector>

#include "hinge/decode/trees.h"

namespace hinge {

// At most k trees, best first, all distinct; fewer where fewer exist that
// nothing forbids. The first is what Eisner::best finds. Of no words there is one
// tree, which is empty.
std::vector<ScoredTree> k_best_projective(const ArcScores& scores, std::size_t k);

}  // namespace hinge
