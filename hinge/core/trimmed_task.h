// An extension: a task that limits how many weights are not zero, as each of them costs time
// in every decode: a kernel model with a budget of support vectors.
#pragma once

#include "hinge/core/task.h"

namespace hinge {

class TrimmedTask : public Extension {
 public:
  static constexpr std::string_view kName = "weights to trim";

  // Sets weights to zero. Learners whose weights are free to change call it after each pass.
  virtual void trim(Weights& w) const = 0;
};

}  // namespace hinge
