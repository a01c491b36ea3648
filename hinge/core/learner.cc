#include "hinge/core/learner.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"

namespace hinge {

std::string_view loss_name(Loss loss) {
  switch (loss) {
    case Loss::kL1:
      return "L1";
    case Loss::kL2:
      return "L2";
    case Loss::kLog:
      return "log";
    case Loss::kSoftmaxMargin:
      return "log+cost";
  }
  return "";
}

void distinct_support(const Task& task, std::size_t i, Scratch& scratch, std::vector<Block>& blocks) {
  blocks.clear();
  task.support(i, scratch, blocks);
  std::ranges::sort(blocks, {}, &Block::first);
  // Not std::ranges::unique, which clang 14 cannot compile.
  const auto same = [](const Block& a, const Block& b) { return a.first == b.first; };
  blocks.erase(std::unique(blocks.begin(), blocks.end(), same), blocks.end());
}

void check_violation(double loss, double margin, std::size_t example) {
  if (!(loss >= 0.0) || !std::isfinite(loss)) {
    fail<InputError>(
        "example {}: the task gave a loss of {}, but losses are finite and never negative; check its loss",
        example, loss);
  }
  if (!std::isfinite(margin)) {
    fail<InputError>(
        "example {}: the margin is {}, so weights or feature values overflowed; scale the features, or lower "
        "C or the step size",
        example, margin);
  }
}

}  // namespace hinge
