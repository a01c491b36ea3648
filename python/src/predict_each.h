// Predictions as Python objects. Chunk by chunk, inputs are read with the GIL,
// decoded in parallel without it, and converted to Python objects with it.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <vector>

#include "hinge/core/ordered_loop.h"
#include "python/src/training.h"

namespace hinge::python {

// `Answer` is the result of one decode.
//   make_workspace()                        one per thread
//   read(begin, end)                        returns the inputs of a chunk
//   decode(inputs, i, workspace, answer)    decodes input i of the chunk
//   give(answer)                            returns a Python object
template <typename Answer, typename MakeWorkspace, typename Read, typename Decode, typename Give>
nb::list predict_each(std::size_t size, int threads, const MakeWorkspace& make_workspace, const Read& read,
                      const Decode& decode, const Give& give) {
  constexpr std::size_t kChunk = 1024;
  Workers workers(thread_count(threads));
  PerThread<decltype(make_workspace())> workspaces(workers, make_workspace);
  nb::list result;
  std::vector<Answer> answers;
  const SignalScope signals;  // for this thread, which is one of the workers
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

// An array [rows, columns] owned by Python.
nb::object to_array(std::vector<float> values, std::size_t rows, std::size_t columns);

}  // namespace hinge::python
