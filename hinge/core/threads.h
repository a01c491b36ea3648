// Parallel loops over examples, with a fixed number of threads. Results are written
// to slots by index and reduced in order by the caller, so they do not depend on
// the number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "hinge/core/task.h"

namespace hinge {

// Cores that this process may use: all, or those it is bound to (mpirun, taskset).
int usable_cores();
// The number of threads for a setting; 0 means all cores. Throws OptionError.
int thread_count(std::int64_t asked);

class Workers {
 public:
  // As many threads as asked for, or as many as the system allows.
  explicit Workers(int threads);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  int threads() const { return threads_; }

  // Calls body(index) for every index below n. check_interrupt() works inside, on
  // every thread.
  template <typename Body>
  void each(std::size_t n, const Body& body) {
    run(n, {&call<Body>, &body}, Order::kBalanced);
  }
  // The same for a few indices that own memory, such as parts of an array: an index
  // keeps its thread across calls.
  template <typename Body>
  void each_lane(std::size_t n, const Body& body) {
    run(n, {&call<Body>, &body}, Order::kFixed);
  }

  // The number of this thread in its loop, from 0; 0 outside of loops.
  static std::size_t this_thread();

 private:
  enum class Order { kBalanced, kFixed };
  struct AnyBody {  // a type-erased loop body, called per example
    void (*call)(const void* body, std::size_t index);
    const void* body;
    void operator()(std::size_t index) const { call(body, index); }
  };
  template <typename Body>
  static void call(const void* body, std::size_t index) {
    (*static_cast<const Body*>(body))(index);
  }
  void run(std::size_t n, AnyBody body, Order order);

  struct Engine;  // keeps the thread library out of this header
  int threads_;
  std::unique_ptr<Engine> engine_;
};

// One T per thread of a loop, made on first use.
template <typename T>
class PerThread {
 public:
  PerThread(const Workers& workers, std::function<T()> make)
      : make_(std::move(make)), slots_(static_cast<std::size_t>(workers.threads())) {}
  T& local() {
    std::unique_ptr<T>& slot = slots_[Workers::this_thread()];
    if (slot == nullptr) slot.reset(new T(make_()));  // T may be immovable
    return *slot;
  }
  // Calls visit(T) for every T made; use after the loop.
  template <typename Visit>
  void each(const Visit& visit) const {
    for (const std::unique_ptr<T>& slot : slots_) {
      if (slot != nullptr) visit(std::as_const(*slot));
    }
  }
  template <typename Visit>
  void each(const Visit& visit) {
    for (const std::unique_ptr<T>& slot : slots_) {
      if (slot != nullptr) visit(*slot);
    }
  }

 private:
  std::function<T()> make_;
  std::vector<std::unique_ptr<T>> slots_;
};

// One scratch of a task per thread.
class ScratchPool {
 public:
  ScratchPool(const Task& task, const Workers& workers)
      : pool_(workers, [&task] { return task.make_scratch(); }) {}
  Scratch& local() { return *pool_.local(); }

 private:
  PerThread<std::unique_ptr<Scratch>> pool_;
};

}  // namespace hinge
