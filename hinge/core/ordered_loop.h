// Parallel loops with deterministic errors: the caller sees the exception of the
// first failing item, at any number of threads.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

#include "hinge/core/threads.h"

namespace hinge {

// How a loop ended: all items before `done` are complete; item `done` threw
// `error`, if set. An interrupt (core/interrupt.h) belongs to no item: `done` is 0.
struct LoopEnd {
  std::size_t done;
  std::exception_ptr error;

  void rethrow() const {
    if (error) std::rethrow_exception(error);
  }
};

// Calls body(index) for every index below n, in any order, but skips those after an
// item that threw. All threads stop soon after an interrupt.
LoopEnd each_until_error(Workers& workers, std::size_t n, const std::function<void(std::size_t)>& body);

}  // namespace hinge
