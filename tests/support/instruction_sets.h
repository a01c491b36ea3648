// Runs kernels with each instruction set of this machine.
#pragma once

#include <hwy/targets.h>

namespace hinge::test {

// Calls body(name of the instruction set) while kernels use it.
template <typename Body>
void each_instruction_set(const Body& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    body(hwy::TargetName(target));
  }
  hwy::GetChosenTarget().DeInit();  // the next call chooses again
}

}  // namespace hinge::test
