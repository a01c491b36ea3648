// Which features decided a label: the result of Tagger::explain().
#pragma once

#include <string>
#include <vector>

#include "hinge/decode/viterbi.h"

namespace hinge::tag {

// How much one feature favours the chosen label over the rival.
struct Contribution {
  std::size_t token;    // that has the feature; the second one of two neighbours
  std::string feature;  // "B" for a plain transition
  std::string label;    // "NN", or for two neighbours "DT -> NN"
  std::string rival;    // the same with the rival
  float value;          // of the feature
  double amount;        // value * (weight for the label - weight for the rival)
};

// Why a token got its label rather than another. All other labels stay the same, unless
// no other label of the token is allowed between them: then the rival is the best
// sequence that differs there.
struct Explanation {
  LabelId label;
  LabelId rival;                // equal to label if no sequence differs here
  std::vector<LabelId> rivals;  // the sequence with the rival, [tokens]
  double margin;  // score of the sequence minus that with the rival: the sum of the contributions
  std::vector<Contribution> contributions;  // largest absolute value first, without zeros
};

}  // namespace hinge::tag
