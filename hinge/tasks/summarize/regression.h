// Weights to start from: every bigram and every piece of the training topics is a line of a
// least-squares problem, so a topic says more than its gold summary does.
//
//   bigrams   min_u  sum_b (gain_b - u . f_b)^2 + r |u|^2
//   pieces    min_v  sum_i (rest_i - v . g_i)^2 + s |v|^2
//
// where rest_i is what the bigrams of piece i add to the recall beyond u. The cost of words
// is known: it is put on the features that count them. So the score of a summary estimates its
// recall less its costs. Ridge regression: Hoerl and Kennard (Technometrics 1970).
#pragma once

#include "hinge/core/weights.h"
#include "hinge/tasks/summarize/topic_set.h"

namespace hinge::summarize {

// r and s.
inline constexpr double kBigramRidge = 10.0;
inline constexpr double kPieceRidge = 100.0;

// Data must have references. Features that are always zero get no weight.
Weights regression(const TopicSet& data);

}  // namespace hinge::summarize
