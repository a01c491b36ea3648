// Which features decided a label: the result of Classifier::explain().
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace hinge::classify {

// How much one feature favours the chosen label over the rival.
struct Contribution {
  std::string feature;  // "(bias)" for the bias
  float value;
  double amount;  // value * (weight for the label - weight for the rival)
};

// Why a text got its label rather than another.
struct Explanation {
  std::size_t label;
  std::size_t rival;                        // equal to label if there is no other
  double margin;                            // the sum of the contributions
  std::vector<Contribution> contributions;  // largest absolute value first, without zeros
};

}  // namespace hinge::classify
