// Kernels once for each instruction set this machine has.
#pragma once

#include <hwy/targets.h>

namespace hinge::test {

// body(name of the instruction set), while kernels are compiled for it.
template <typename Body>
void each_instruction_set(const Body& body) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::GetChosenTarget().Update(target);
    body(hwy::TargetName(target));
  }
  hwy::GetChosenTarget().DeInit();  // chosen anew at the next call
}

}  // namespace hinge::test
