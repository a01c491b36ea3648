// An extension: losses that depend on the model's output for all examples together,
// such as a corpus-level metric. Such a task sets facts().fixed_losses to false.
#pragma once

#include "hinge/core/task.h"

namespace hinge {

// The state that changes between passes, kept outside the task, which stays const.
class Context {
 public:
  virtual ~Context() = default;
  // Recomputes the losses under model w. The task is not called meanwhile.
  virtual void see(const Weights& w) = 0;
};

class ContextTask : public Extension {
 public:
  static constexpr std::string_view kName = "context";

  // Its see() is called before every pass but the first.
  virtual Context& context() const = 0;
};

}  // namespace hinge
