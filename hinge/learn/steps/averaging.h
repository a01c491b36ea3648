// The average of all weight vectors of an online run, kept lazily.
//
// After T steps with updates a_s psi_s (s counted from 0) the plain average is
// sum_s (1 - s / T) a_s psi_s, and the average that weighs step s by s + 1
// (Lacoste-Julien et al. 2013, section 4) is sum_s (1 - s (s + 1) / (T (T + 1))) a_s psi_s.
// With w = sum_s a_s psi_s and u = sum_s m_s a_s psi_s, m_s = s or s (s + 1), both
// are w - u / m_T: two sparse additions per step, never a pass over the whole vector.
#pragma once

#include <cstdint>
#include <optional>

#include "hinge/core/lines.h"

namespace hinge {

enum class Averaging { kNone, kUniform, kLinear };

class AveragedWeights {
 public:
  AveragedWeights(std::size_t dimension, Averaging averaging)
      : current_(dimension), moment_(averaging == Averaging::kNone ? 0 : dimension), averaging_(averaging) {}

  const Weights& current() const { return current_; }
  void start_from(const Weights& w) {
    current_ = w;
    ++starts_;
  }
  void visit(State& state) {
    state.fixed(current_, moment_);
    state(steps_);
    if (state.loading()) ++starts_;
  }
  // How often the weights were set otherwise than by steps.
  std::uint64_t starts() const { return starts_; }

  template <typename Vector>
  void add(double scale, const Vector& psi) {
    axpy(scale, psi, current_);
    if (averages()) axpy(scale * factor(steps_), psi, moment_);
    if (touched_) touched_->mark(psi);
  }
  void end_step() { steps_ += 1.0; }
  double steps() const { return steps_; }

  // For a copy of common weights, whose steps are undone once their change is known. From now
  // on it notes which lines steps change.
  void track_changes() { touched_.emplace(current_.size()); }
  // The model less `common`, times `scale`; then it is a copy of `common` again, without steps.
  LineVector take_change(const Weights& common, double scale) {
    LineVector change;
    const double shrink = averages() && steps_ > 0.0 ? 1.0 / factor(steps_) : 0.0;
    touched_->take([&](std::uint32_t line) {
      float* values = change.push(line);
      const std::size_t first = line * kLine;
      const std::size_t count = std::min(current_.size() - first, kLine);
      for (std::size_t k = 0; k < count; ++k) {
        double value = static_cast<double>(current_[first + k]) - common[first + k];
        if (averages()) value -= shrink * moment_[first + k];
        values[k] = static_cast<float>(scale * value);
      }
      if (averages()) std::fill_n(&moment_[first], count, 0.0f);
      std::copy_n(common.span().data() + first, count, &current_[first]);
    });
    steps_ = 0.0;
    return change;
  }
  // Follows a change of the common weights on these lines.
  void copy_lines(const Weights& common, const LineVector& lines) {
    lines.each_line(current_.size(), [&](std::size_t first, const float*, auto count) {
      std::copy_n(common.span().data() + first, std::size_t{count}, &current_[first]);
    });
  }

  Weights model() const {
    if (!averages() || steps_ == 0.0) return current_;
    Weights result = moment_;
    average_into(result);
    return result;
  }
  Weights take_model() {
    if (!averages() || steps_ == 0.0) return std::move(current_);
    average_into(moment_);
    current_ = Weights();
    return std::move(moment_);
  }

 private:
  bool averages() const { return averaging_ != Averaging::kNone; }
  double factor(double step) const { return averaging_ == Averaging::kLinear ? step * (step + 1.0) : step; }

  void average_into(Weights& moment) const {
    const double shrink = 1.0 / factor(steps_);
    for (std::size_t id = 0; id < moment.size(); ++id) {
      // Keep untouched pages untouched.
      if (current_[id] == 0.0f && moment[id] == 0.0f) continue;
      moment[id] = static_cast<float>(current_[id] - shrink * moment[id]);
    }
  }

  Weights current_;
  Weights moment_;      // u
  double steps_ = 0.0;  // T so far
  Averaging averaging_;
  std::uint64_t starts_ = 0;
  std::optional<TouchedLines> touched_;
};

}  // namespace hinge
