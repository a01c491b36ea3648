// An extension: losses that depend on what the model says of all examples
// together, as a metric of a whole corpus does. Such a task has
// facts().fixed_losses false.
#pragma once

#include "hinge/core/task.h"

namespace hinge {

// What changes between passes, an object beside the task, which stays const.
class Context {
 public:
  virtual ~Context() = default;
  // Losses become those under the model w. Nothing is asked of the task meanwhile.
  virtual void see(const Weights& w) = 0;
};

class ContextTask : public Extension {
 public:
  static constexpr std::string_view kName = "context";

  // Shown the model before every pass but the first.
  virtual Context& context() const = 0;
};

}  // namespace hinge
