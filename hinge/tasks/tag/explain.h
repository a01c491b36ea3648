// Which features decided on a label. Tagger::explain() gives it.
#pragma once

#include <string>
#include <vector>

#include "hinge/decode/viterbi.h"

namespace hinge::tag {

// What one feature says for the chosen label and against the rival.
struct Contribution {
  std::string feature;  // "B" for a plain transition
  std::string label;    // "NN", or for two neighbours "DT -> NN"
  std::string rival;    // the same with the rival put in
  float value;          // of the feature
  double amount;        // value * (weight for the label - weight for the rival)
};

// Why a token got its label and not another, all other labels staying.
struct Explanation {
  LabelId label;
  LabelId rival;  // equal to label if every other is forbidden
  double margin;  // score of the sequence less that with the rival: the sum of the contributions
  std::vector<Contribution> contributions;  // largest in size first; zeros are left out
};

}  // namespace hinge::tag
