// Which features made the best tree better than another one.
#pragma once

#include <string>
#include <vector>

#include "hinge/tasks/constituents/model.h"

namespace hinge::constituents {

struct Reason {
  std::string part;     // "NP -> DT NN over words 1-2"
  std::string feature;  // "first word=the"
  double weight;        // its share in the score of the best tree minus that of the other
};

// After parser.load() and find_k_best(): the best tree against the one of that rank. The heaviest
// reasons first; their sum is the difference of the two scores. For models with a grammar.
std::vector<Reason> explain(const Parser& parser, std::size_t rank, Parser::Workspace& workspace);

}  // namespace hinge::constituents
