// Weights to start from: every bigram and every piece of the training topics is a line of a
// least-squares problem, so that a few topics say more than their gold summaries do.
//
//   bigrams   min_u  sum_b (gain_b - u . f_b)^2 + r |u|^2
//   pieces    min_v  sum_i (rest_i - v . g_i)^2 + s |v|^2
//
// where rest_i is what the bigrams of piece i add to the recall beyond u, less the cost of
// its words. So the score of a summary estimates what its loss is made of. Ridge regression:
// Hoerl and Kennard (Technometrics 1970).
#pragma once

#include <vector>

#include "hinge/core/weights.h"
#include "hinge/tasks/summarize/data.h"

namespace hinge::summarize {

// Data must have references.
Weights regression(const std::vector<TopicData>& data);

}  // namespace hinge::summarize
