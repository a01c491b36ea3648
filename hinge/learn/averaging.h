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
    Weights result = current_;
    if (!average_ || steps_ == 0.0) return result;
    const double shrink = 1.0 / steps_;
    for (std::size_t id = 0; id < result.size(); ++id) {
      result[id] = static_cast<float>(current_[id] - shrink * moment_[id]);
    }
    return result;
  }

 private:
  Weights current_;
  Weights moment_;      // u
  double steps_ = 0.0;  // T so far
  bool average_;
};

}  // namespace hinge
