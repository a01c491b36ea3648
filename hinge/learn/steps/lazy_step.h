// A stochastic gradient method whose regularizer affects every weight at every
// step, but is applied lazily: learners bring the weights an example reads up to
// date, decode, and add the gradient of the loss.
#pragma once

#include <memory>
#include <span>

#include "hinge/core/learner.h"
#include "hinge/core/task.h"

namespace hinge {

class LazyStep {
 public:
  virtual ~LazyStep() = default;

  virtual const Weights& current() const = 0;
  // Call before these weights are read or their gradient is added.
  virtual void catch_up(std::span<const Block> blocks) = 0;
  // Adds scale * gradient to the gradient of the next step.
  virtual void add(double scale, const Gradient& gradient) = 0;
  // One step against the sum of the gradients added since the last.
  virtual void step() = 0;

  virtual Weights model() const = 0;
  virtual Weights take_model() = 0;
  virtual void start_from(const Weights& w) = 0;
  // Only between steps.
  virtual void visit(State& state) = 0;
};

// One step's share of the regularizer R(w) / C, given the steps per pass over the
// data: lambda_b = 1 / (C steps).
inline double share_of_regularizer(double C, std::size_t steps) {
  return 1.0 / (C * static_cast<double>(steps));
}

}  // namespace hinge
