// Lets a caller end long work from outside: reading a corpus, training, one
// long decode.
//
// A caller holds an InterruptScope. Long work calls check_interrupt() now and
// then (a reader once per sentence, a decoder once a row of its chart), and
// what the check throws ends it. Loops of Workers hand the check on to all
// their threads, so it must be safe to call from any of them. Without a scope
// the call costs a look at a null pointer.
#pragma once

#include <exception>
#include <functional>
#include <utility>

namespace hinge {

// What ends a decode of a training that is to stop. The driver (learn/driver/)
// catches it; a learner whose state a half-done decode would spoil does, too.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

namespace detail {
inline thread_local const std::function<void()>* interrupt_check = nullptr;

// While it lives, the calling thread has the check of another.
class InterruptShare {
 public:
  explicit InterruptShare(const std::function<void()>* check)
      : before_(std::exchange(interrupt_check, check)) {}
  ~InterruptShare() { interrupt_check = before_; }
  InterruptShare(const InterruptShare&) = delete;
  InterruptShare& operator=(const InterruptShare&) = delete;

 private:
  const std::function<void()>* before_;
};
}  // namespace detail

inline void check_interrupt() {
  if (detail::interrupt_check != nullptr) (*detail::interrupt_check)();
}

// Scopes of one thread may be nested: the inner one counts.
class InterruptScope {
 public:
  // check() throws to interrupt; it is called often, so it should look at a clock first.
  explicit InterruptScope(std::function<void()> check) : check_(std::move(check)), share_(&check_) {}
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  std::function<void()> check_;
  detail::InterruptShare share_;
};

}  // namespace hinge
