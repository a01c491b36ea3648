// Parallel loops whose errors come in order: what the first wrong item throws is
// what a caller sees, at any number of threads.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

#include "hinge/core/threads.h"

namespace hinge {

// How a loop ended: all items before `done` are complete, and that one threw
// `error`, if there is one. An interrupt (core/interrupt.h) is an error of which
// nobody knows the item: `done` is 0.
struct LoopEnd {
  std::size_t done;
  std::exception_ptr error;

  void rethrow() const {
    if (error) std::rethrow_exception(error);
  }
};

// body(index) for every index below n, in any order, but for those after an item
// that threw. All threads stop soon after an interrupt.
LoopEnd each_until_error(Workers& workers, std::size_t n, const std::function<void(std::size_t)>& body);

}  // namespace hinge
