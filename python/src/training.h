// Shared by all training from Python: options, progress, Ctrl-C.
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

using OptionValues = std::map<std::string, std::string>;  // text for the option tables

// `values` may have all settings with Trait::kPython.
JobSettings settings_of(const std::string& task, const std::string& learner, const OptionValues& values);

void set_options(OptionTable& table, const OptionValues& values);

// Checks for Ctrl-C and other signals every 50 ms: Python runs their handlers in
// its main thread; their exceptions are thrown here. Works with or without the
// GIL. Does nothing on other threads than the one that created it.
class Signals {
 public:
  void check();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point looked_ = Clock::now();
  std::thread::id thread_ = std::this_thread::get_id();  // the only one that checks
};

// While it exists, check_interrupt() on this thread, for instance in readers, checks for signals.
class SignalScope {
 private:
  Signals signals_;
  InterruptScope scope_{[this] { signals_.check(); }};
};

// Tells a Python object what happens, and checks for Ctrl-C. Used without the GIL; a
// Python exception leaves training as nb::python_error. Epochs of a first stage are not reported.
class PythonObserver final : public JobObserver {
 public:
  // watcher: None, or with the methods
  //   say(line)                     for people
  //   begins(epochs)                None: without a limit
  //   epoch(json, line, scores)     `line` for people, `scores` a part of it; True stops training
  // and train_scores, whether scores on the training data are worth their time.
  PythonObserver(std::string learner, nb::object watcher);
  bool interrupts(std::int64_t examples_done) override;
  void stage_begins(const StageInfo& stage) override;
  void epoch_done(const EpochReport& report) override;
  void warn(const std::string& message) override;
  void say(const std::string& line) override;  // also to the logger "hinge"
  bool wants_train_scores() const override { return train_scores_; }

  const std::string& lines() const { return lines_; }  // of all epochs

 private:
  std::string learner_;
  nb::object watcher_;
  bool train_scores_;
  std::size_t main_scores_ = 1;
  std::string lines_;
  bool stop_ = false;
  bool told_ = true;  // whether epochs of this stage are reported
  Signals signals_;
};

void bind_tables(nb::module_& m);

}  // namespace hinge::python
