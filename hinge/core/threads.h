// Parallel loops over examples, with a fixed number of threads and one
// scratch object a thread. Results are written to slots by index and reduced
// in order by the caller, so that the number of threads never shows.
#pragma once

#include <tbb/enumerable_thread_specific.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <cstddef>
#include <memory>

#include "hinge/core/task.h"

namespace hinge {

class Workers {
 public:
  explicit Workers(int threads)
      : threads_(threads),
        limit_(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)),
        arena_(threads) {}

  int threads() const { return threads_; }

  // body(index) for every index below n.
  template <typename Body>
  void each(std::size_t n, const Body& body) {
    run(n, body, tbb::auto_partitioner());
  }
  // The same for a few indices with memory of their own, such as parts of an
  // array: an index stays with its thread from call to call.
  template <typename Body>
  void each_part(std::size_t n, const Body& body) {
    run(n, body, tbb::static_partitioner());
  }

 private:
  template <typename Body, typename Partitioner>
  void run(std::size_t n, const Body& body, const Partitioner& partitioner) {
    if (threads_ == 1 || n < 2) {
      for (std::size_t i = 0; i < n; ++i) body(i);
      return;
    }
    arena_.execute([&] { tbb::parallel_for(std::size_t{0}, n, body, partitioner); });
  }

  int threads_;
  tbb::global_control limit_;  // without it TBB complains on stderr about more threads than cores
  tbb::task_arena arena_;
};

// The calling thread's own scratch for a task.
class ScratchPool {
 public:
  explicit ScratchPool(const Task& task) : pool_([&task] { return task.make_scratch(); }) {}
  Scratch& local() { return *pool_.local(); }

 private:
  tbb::enumerable_thread_specific<std::unique_ptr<Scratch>> pool_;
};

}  // namespace hinge
