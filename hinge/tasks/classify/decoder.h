// Scores of the labels of one text, and what follows from them.
#pragma once

#include <span>
#include <vector>

#include "hinge/core/weights.h"
#include "hinge/tasks/classify/data.h"
#include "hinge/tasks/classify/layout.h"

namespace hinge::classify {

// scores [labels] of text i; `sums` is memory for it. The result is a view of `sums`.
std::span<float> score_text(const TextData& data, std::size_t i, const TextLayout& layout, const Weights& w,
                            std::vector<float>& sums);

// The first of the highest.
std::size_t best_of(std::span<const float> scores);

// The k best labels, the best first; of equal ones the first.
void k_best(std::span<const float> scores, std::size_t k, std::vector<std::size_t>& labels);

// Turns scores into probabilities; returns the logarithm of the sum of their exponentials.
double softmax(std::span<float> scores);

}  // namespace hinge::classify
