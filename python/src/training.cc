#include "python/src/training.h"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <thread>

#include "hinge/core/error.h"
#include "hinge/pipeline/record.h"
#include "hinge/tasks/registry.h"

namespace hinge::python {
namespace {

ObjectiveWhen parse_objective(const std::string& when) {
  if (when == "never") return ObjectiveWhen::kNever;
  if (when == "end") return ObjectiveWhen::kEnd;
  if (when == "epoch") return ObjectiveWhen::kEveryEpoch;
  fail<OptionError>("objective is '{}' but must be 'never', 'end' or 'epoch'", when);
}

void check_above_zero(const std::optional<double>& value, std::string_view name) {
  if (value && !(*value > 0.0 && std::isfinite(*value)))
    fail<OptionError>("{} is {} but must be a number above 0", name, *value);
}

std::string_view type_name(const Option& option) {
  const std::string expected = option.expected();
  if (expected == "true or false") return "bool";
  if (expected.starts_with("a whole number")) return "int";
  if (expected.starts_with("a number")) return "float";
  return "str";
}

nb::list options_of(OptionTable& table) {
  nb::list result;
  for (const Option& option : table.options()) {
    nb::dict row;
    row["name"] = option.name();
    row["type"] = type_name(option);
    row["default"] = option.default_value();
    row["expected"] = option.expected();
    row["help"] = option.help();
    result.append(row);
  }
  return result;
}

nb::dict tasks() {
  nb::dict result;
  for (const TaskRow& row : task_table()) {
    nb::dict entry;
    entry["summary"] = row.summary;
    entry["learner"] = row.learner;
    entry["options"] = options_of(row.choose()->options());
    result[nb::str(row.name.data(), row.name.size())] = entry;
  }
  return result;
}

nb::dict learners() {
  nb::dict result;
  for (const LearnerRow& row : learner_table()) {
    nb::dict entry;
    entry["summary"] = row.summary;
    entry["loss"] = row.loss;
    entry["needs"] = need_name(row.needs);
    entry["options"] = options_of(choose_learner(row.name)->options());
    result[nb::str(row.name.data(), row.name.size())] = entry;
  }
  return result;
}

}  // namespace

TrainSettings Settings::train_settings(std::int64_t epochs) const {
  check_above_zero(stop_gap, "stop_gap");
  check_above_zero(time_budget, "time_budget");
  if (patience && *patience < 1) fail<OptionError>("early_stop is {} but must be at least 1", *patience);
  TrainSettings settings{
      .epochs = epochs, .seed = static_cast<std::uint64_t>(seed), .objective = parse_objective(objective)};
  settings.stop_gap = stop_gap;
  settings.time_budget = time_budget;
  settings.patience = patience;
  return settings;
}

void set_options(OptionTable& table, const OptionValues& values) {
  for (const auto& [name, value] : values) table.set(name, value);
}

void Signals::check() {
  if (std::this_thread::get_id() != thread_) return;
  constexpr std::chrono::milliseconds kEvery{50};
  const Clock::time_point now = Clock::now();
  if (now - looked_ <= kEvery) return;
  looked_ = now;
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

bool PythonObserver::interrupts(std::int64_t) {
  signals_.check();
  return stop_;
}

void PythonObserver::epoch_done(const EpochReport& report) {
  const std::string line = to_json_line(report, learner_);
  lines_ += line;
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!callback_.is_none()) stop_ = nb::cast<bool>(nb::bool_(callback_(line)));
}

void PythonObserver::warn(const std::string& message) {
  const nb::gil_scoped_acquire gil;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

void bind_tables(nb::module_& m) {
  m.def("tasks", &tasks, "Name -> summary and options of every task.");
  m.def("learners", &learners, "Name -> summary, loss and options of every learner.");
  m.attr("version") = HINGE_VERSION;
  nb::class_<Settings>(m, "Settings", "How to train, whatever the task and learner.")
      .def(nb::init<>())
      .def_rw("seed", &Settings::seed)
      .def_rw("threads", &Settings::threads)
      .def_rw("objective", &Settings::objective)
      .def_rw("stop_gap", &Settings::stop_gap, nb::arg().none())
      .def_rw("time_budget", &Settings::time_budget, nb::arg().none())
      .def_rw("patience", &Settings::patience, nb::arg().none());
}

}  // namespace hinge::python
