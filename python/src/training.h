// What every training from Python shares: options, progress, Ctrl-C.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>

#include "hinge/core/interrupt.h"
#include "hinge/pipeline/job.h"

namespace hinge::python {

namespace nb = nanobind;

using OptionValues = std::map<std::string, std::string>;  // as the option tables read them

// Settings by name, those of the table with Trait::kPython among them.
JobSettings settings_of(const std::string& task, const std::string& learner, const OptionValues& values);

void set_options(OptionTable& table, const OptionValues& values);

// Ctrl-C and other signals, looked for when enough time has passed: Python runs
// their handlers in its main thread, and what they raise is thrown. Holds with the GIL or
// without; threads other than the one that made it never look.
class Signals {
 public:
  void check();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point looked_ = Clock::now();
  std::thread::id thread_ = std::this_thread::get_id();  // the only one that looks
};

// While it lives, readers of this thread, and who else calls check_interrupt(), look for signals.
class SignalScope {
 private:
  Signals signals_;
  InterruptScope scope_{[this] { signals_.check(); }};
};

// Sends a JSON line an epoch to a Python callback, which may return True to
// stop, and looks for Ctrl-C. Used without the GIL; an exception of Python
// leaves training as nb::python_error. What a task is built on is not told of.
class PythonObserver final : public JobObserver {
 public:
  // callback: None, or callable with a str.
  PythonObserver(std::string learner, nb::object callback)
      : learner_(std::move(learner)), callback_(std::move(callback)) {}
  bool interrupts(std::int64_t examples_done) override;
  void stage_begins(Stage stage, std::int64_t examples, std::int64_t epochs) override;
  void epoch_done(const EpochReport& report) override;
  void warn(const std::string& message) override;

  const std::string& lines() const { return lines_; }  // of all epochs

 private:
  std::string learner_;
  nb::object callback_;
  std::string lines_;
  bool stop_ = false;
  bool told_ = true;  // the epochs of this stage
  Signals signals_;
};

void bind_tables(nb::module_& m);

}  // namespace hinge::python
