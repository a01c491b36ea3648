// The inner loops of AdaGrad with late updates, over lines of kLine weights.
//
// A line has two stamps: the step its weights are up to date with, and the step
// from which the regularizer owes one of them more than `tolerance`. Only lines
// past the second are touched when read. Stamps of all lines fit into a cache;
// the weights and roots of many lines do not, and waiting for them is what
// late updates cost.
#pragma once

#include <cstdint>
#include <span>

#include "hinge/core/task.h"

namespace hinge {

// sqrt(q) of a weight that never had a gradient: q begins at 1e-6.
inline constexpr float kInitialRoot = 1e-3f;

struct AdaGradArrays {
  float* w;            // [dimension] and slack to the end of a line
  float* root;         // the same, sqrt(q); 0 stands for kInitialRoot
  std::uint32_t* at;   // [lines], the step the line is up to date with
  std::uint32_t* due;  // [lines], the first step at which reading it needs catching up; 0: not known
  float* sum;          // as w: of the weight after each of the steps up to `at`; null: not wanted
};

struct AdaGradRates {
  float eta;
  float rate;              // eta lambda
  bool l1;                 // |w|_1 in place of 1/2 |w|^2
  float tolerance = 0.0f;  // what the regularizer may owe a weight when it is read
};

// Brings the lines of these blocks that are due to step `now`.
//   L2: w <- w (root / (rate + root))^t     L1: w <- sign(w) max(0, |w| - t rate / root)
void catch_up_lines(std::span<const Block> blocks, std::uint32_t now, const AdaGradRates& rates,
                    const AdaGradArrays& arrays);

// Step `now` for these lines, all brought to step `now` - 1 first:
//   root <- sqrt(root^2 + g^2)
//   L2: w <- (w root - eta g) / (rate + root)
//   L1: u = w - eta g / root,  w <- sign(u) max(0, |u| - rate / root)
// `gradient`: [lines][kLine].
void step_lines(std::span<const std::uint32_t> lines, std::uint32_t now, const float* gradient,
                const AdaGradRates& rates, const AdaGradArrays& arrays);

}  // namespace hinge
