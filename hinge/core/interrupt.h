// Lets a caller stop long work: reading a corpus, training, one long decode.
//
// The caller holds an InterruptScope. Long work calls check_interrupt() now and
// then (a reader per sentence, a decoder per row of its chart); an exception from
// the check ends the work. Workers pass the check on to all their threads, so it
// must be thread-safe. Without a scope the call only tests a null pointer.
#pragma once

#include <exception>
#include <functional>
#include <utility>

namespace hinge {

// Thrown inside a decode to stop training. Caught by the driver (learn/driver/),
// and by learners whose state an unfinished decode would corrupt.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

namespace detail {
inline thread_local const std::function<void()>* interrupt_check = nullptr;

// While alive, gives the calling thread another thread's check.
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

// Scopes may nest within a thread; the innermost applies.
class InterruptScope {
 public:
  // check() throws to interrupt. It is called often, so it should test a clock
  // before doing more.
  explicit InterruptScope(std::function<void()> check) : check_(std::move(check)), share_(&check_) {}
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  std::function<void()> check_;
  detail::InterruptShare share_;
};

}  // namespace hinge
