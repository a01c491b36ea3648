// The average of all weight vectors of an online run, kept lazily.
//
// After T steps with updates a_s psi_s the average is sum_s (T - s) / T a_s psi_s
// (s counted from 0). With w = sum_s a_s psi_s and u = sum_s s a_s psi_s that is
// w - u / T: two sparse additions a step, never a pass over the whole vector.
#pragma once

#include "hinge/core/sparse.h"

namespace hinge {

class AveragedWeights {
 public:
  AveragedWeights(std::size_t dimension, bool average)
      : current_(dimension), moment_(average ? dimension : 0), average_(average) {}

  const Weights& current() const { return current_; }

  void add(double scale, const SparseVector& psi) {
    axpy(scale, psi, current_);
    if (average_) axpy(scale * steps_, psi, moment_);
  }
  void end_step() { steps_ += 1.0; }

  Weights model() const {
    if (!average_ || steps_ == 0.0) return current_;
    Weights result = moment_;
    average_into(result);
    return result;
  }
  Weights take_model() {
    if (!average_ || steps_ == 0.0) return std::move(current_);
    average_into(moment_);
    current_ = Weights();
    return std::move(moment_);
  }

 private:
  void average_into(Weights& moment) const {
    const double shrink = 1.0 / steps_;
    for (std::size_t id = 0; id < moment.size(); ++id) {
      // Pages never written stay so.
      if (current_[id] == 0.0f && moment[id] == 0.0f) continue;
      moment[id] = static_cast<float>(current_[id] - shrink * moment[id]);
    }
  }

  Weights current_;
  Weights moment_;      // u
  double steps_ = 0.0;  // T so far
  bool average_;
};

}  // namespace hinge
