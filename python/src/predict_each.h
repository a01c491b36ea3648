// Predictions as Python objects: a chunk is read under the GIL, decoded by the
// library's loop without it, and given to Python under it again.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "hinge/core/ordered_loop.h"
#include "python/src/training.h"

namespace hinge::python {

// How to go from inputs to outputs, for `Answer`, what one decode gives:
//   make_workspace()                        what a thread works in
//   read(begin, end)                        inputs of a chunk
//   decode(inputs, i, workspace, answer)    input i of the chunk
//   give(answer)                            a Python object
template <typename Answer, typename MakeWorkspace, typename Read, typename Decode, typename Give>
nb::list predict_each(std::size_t size, int threads, const MakeWorkspace& make_workspace, const Read& read,
                      const Decode& decode, const Give& give) {
  constexpr std::size_t kChunk = 1024;
  Workers workers(thread_count(threads));
  PerThread<decltype(make_workspace())> workspaces(workers, make_workspace);
  nb::list result;
  std::vector<Answer> answers;
  const SignalScope signals;  // of this thread, which is one of the workers
  for (std::size_t begin = 0; begin < size; begin += kChunk) {
    const std::size_t end = std::min(size, begin + kChunk);
    const auto inputs = read(begin, end);
    answers.resize(end - begin);
    {
      const nb::gil_scoped_release release;
      each_until_error(workers, answers.size(), [&](std::size_t i) {
        check_interrupt();
        decode(inputs, i, workspaces.local(), answers[i]);
      }).rethrow();
    }
    for (Answer& answer : answers) {
      check_interrupt();
      result.append(give(answer));
    }
  }
  return result;
}

// [rows, columns], which Python then owns.
nb::object to_array(std::vector<float> values, std::size_t rows, std::size_t columns);

}  // namespace hinge::python
