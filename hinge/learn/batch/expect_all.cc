#include "hinge/learn/batch/expect_all.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/error.h"

namespace hinge {

void check_expectation(double log_loss, double expected_loss, std::size_t example) {
  if (!std::isfinite(log_loss)) {
    fail<InputError>(
        "example {}: the log-loss is {}, so weights or feature values overflowed; scale the features, or "
        "lower C or the step size",
        example, log_loss);
  }
  if (!(expected_loss >= 0.0) || !std::isfinite(expected_loss)) {
    fail<InputError>(
        "example {}: the task gave a loss of {}, but losses are finite and never negative; check its loss",
        example, expected_loss);
  }
}

void AllExpecter::keep_only(std::span<const FeatureId> active) {
  active_ = active;
  active_begin_.assign(1, 0);
  for (std::size_t line = 1; line <= lines_in(task_.dimension()); ++line) {
    std::uint32_t end = active_begin_.back();
    while (end < active.size() && active[end] < line * kLine) ++end;
    active_begin_.push_back(end);
  }
}

LineVector AllExpecter::take_gradient(std::span<Weights> lanes) {
  for (std::size_t lane = 1; lane < lanes.size(); ++lane)
    touched_[lane].take([this](std::uint32_t line) { touched_[0].mark(line * kLine); });
  LineVector gradient;
  float* sums = nullptr;
  const auto add = [&](std::size_t id, std::size_t place) {
    if (gradient.empty() || gradient.lines().back() != place / kLine)
      sums = gradient.push(static_cast<std::uint32_t>(place / kLine));
    for (const Weights& lane : lanes) sums[place % kLine] += lane[id];
  };
  touched_[0].take([&](std::uint32_t line) {
    const std::size_t first = line * kLine, end = std::min(task_.dimension(), first + kLine);
    if (active_.empty()) {
      for (std::size_t id = first; id < end; ++id) add(id, id);
    } else {
      for (std::size_t k = active_begin_[line]; k < active_begin_[line + 1]; ++k) add(active_[k], k);
    }
    for (Weights& lane : lanes) std::fill_n(lane.data() + first, end - first, 0.0f);
  });
  return gradient;
}

}  // namespace hinge
