#include "hinge/core/ordered_loop.h"

#include <atomic>
#include <mutex>
#include <optional>

#include "hinge/core/interrupt.h"

namespace hinge {
namespace {

struct Interrupted {};  // stops the items of other threads

class Loop {
 public:
  explicit Loop(std::size_t n) : done_(n) {}

  void run(std::size_t i, const std::function<void(std::size_t)>& body) {
    if (interrupted_ || i > done_) return;
    try {
      body(i);
    } catch (const Interrupted&) {
      // The interrupted thread has stored the exception.
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!interrupted_ && i < done_) keep(i);
    }
  }

  // The caller's check may throw only once, in one thread.
  void check(const std::function<void()>& of_caller) {
    if (interrupted_) throw Interrupted();
    try {
      of_caller();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!interrupted_.exchange(true)) keep(0);
      throw Interrupted();
    }
  }

  LoopEnd end() const { return {done_, error_}; }

 private:
  void keep(std::size_t i) {
    done_ = i;
    error_ = std::current_exception();
  }

  std::mutex mutex_;
  std::atomic<std::size_t> done_;
  std::atomic<bool> interrupted_ = false;
  std::exception_ptr error_;
};

}  // namespace

LoopEnd each_until_error(Workers& workers, std::size_t n, const std::function<void(std::size_t)>& body) {
  Loop loop(n);
  std::optional<InterruptScope> scope;
  if (const auto* check = detail::interrupt_check; check != nullptr)
    scope.emplace([&loop, check] { loop.check(*check); });
  workers.each(n, [&](std::size_t i) { loop.run(i, body); });
  return loop.end();
}

}  // namespace hinge
