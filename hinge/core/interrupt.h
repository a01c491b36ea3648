// Lets a caller end long work that has no observer, such as reading a corpus.
//
// A caller holds an InterruptScope. Readers call check_interrupt() once a
// sentence or chunk, and what the check of their thread throws ends their work.
// Threads without a scope, such as workers, pay for a look at a null pointer.
#pragma once

#include <functional>
#include <utility>

namespace hinge {

namespace detail {
inline thread_local const std::function<void()>* interrupt_check = nullptr;
}

inline void check_interrupt() {
  if (detail::interrupt_check != nullptr) (*detail::interrupt_check)();
}

// Scopes of one thread may lie in each other; the inner one counts.
class InterruptScope {
 public:
  // check() throws to interrupt; it is called often, so it should look at a clock first.
  explicit InterruptScope(std::function<void()> check)
      : check_(std::move(check)), before_(std::exchange(detail::interrupt_check, &check_)) {}
  ~InterruptScope() { detail::interrupt_check = before_; }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  std::function<void()> check_;
  const std::function<void()>* before_;
};

}  // namespace hinge
