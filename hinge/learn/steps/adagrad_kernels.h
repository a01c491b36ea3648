// The inner loops of AdaGrad with lazy updates, over lines of kLine weights. A line
// has one stamp: the step that its weights are up to date with. So the stamps of
// all weights fit into a cache, and a line that an example reads many times is
// updated once.
#pragma once

#include <cstdint>
#include <span>

#include "hinge/core/task.h"

namespace hinge {

// sqrt(q) of a weight that never had a gradient: q begins at 1e-6.
inline constexpr float kInitialRoot = 1e-3f;

struct AdaGradArrays {
  float* w;           // [dimension] and slack to the end of a line
  float* root;        // the same, sqrt(q); 0 stands for kInitialRoot
  std::uint32_t* at;  // [lines], the step the line is up to date with
};

struct AdaGradRates {
  float eta;
  float rate;  // eta lambda
  bool l1;     // |w|_1 in place of 1/2 |w|^2
};

// Brings the lines of these blocks up to step `now`.
//   L2: w <- w (root / (rate + root))^t     L1: w <- sign(w) max(0, |w| - t rate / root)
void catch_up_lines(std::span<const Block> blocks, std::uint32_t now, const AdaGradRates& rates,
                    const AdaGradArrays& arrays);

// Step `now` for lines that are up to date with step `now` - 1:
//   root <- sqrt(root^2 + g^2)
//   L2: w <- (w root - eta g) / (rate + root)
//   L1: u = w - eta g / root,  w <- sign(u) max(0, |u| - rate / root)
// `gradient`: [dimension] and slack.
void step_lines(std::span<const std::uint32_t> lines, std::uint32_t now, const float* gradient,
                const AdaGradRates& rates, const AdaGradArrays& arrays);

}  // namespace hinge
