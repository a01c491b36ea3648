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
#ifdef HINGE_PLAIN_THREADS
#include <algorithm>
#include <exception>
#include <thread>
#include <vector>
#endif

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
  void run(std::size_t n, const Body& body, [[maybe_unused]] const Partitioner& partitioner) {
    if (threads_ == 1 || n < 2) {
      for (std::size_t i = 0; i < n; ++i) body(i);
      return;
    }
#ifdef HINGE_PLAIN_THREADS
    run_plainly(n, body);
#else
    arena_.execute([&] { tbb::parallel_for(std::size_t{0}, n, body, partitioner); });
#endif
  }

#ifdef HINGE_PLAIN_THREADS
  // For the thread sanitizer, which cannot see how TBB hands over work: thread t
  // takes the indices t, t + threads, ...; nothing but start and end orders them.
  template <typename Body>
  void run_plainly(std::size_t n, const Body& body) {
    const auto count = std::min(n, static_cast<std::size_t>(threads_));
    std::vector<std::exception_ptr> errors(count);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t) {
      threads.emplace_back([&, t] {
        try {
          for (std::size_t i = t; i < n; i += count) body(i);
        } catch (...) {
          errors[t] = std::current_exception();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::exception_ptr& error : errors)
      if (error) std::rethrow_exception(error);
  }
#endif

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
