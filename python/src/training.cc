#include "python/src/training.h"

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "hinge/core/error.h"
#include "hinge/pipeline/progress.h"
#include "hinge/pipeline/record.h"
#include "hinge/tasks/registry.h"

namespace hinge::python {
namespace {

std::string_view type_name(const Option& option) {
  const std::string expected = option.expected();
  if (expected == "true or false") return "bool";
  if (expected.starts_with("a whole number")) return "int";
  if (expected.starts_with("a number")) return "float";
  return "str";
}

nb::dict row_of(const Option& option) {
  nb::dict row;
  row["name"] = option.name();
  row["former_name"] = option.former_name();
  row["type"] = type_name(option);
  row["optional"] = option.is_optional();
  row["default"] = option.default_value();
  row["expected"] = option.expected();
  row["help"] = option.help();
  return row;
}

nb::list options_of(const OptionTable& table) {
  nb::list result;
  for (const Option& option : table.options()) result.append(row_of(option));
  return result;
}

nb::list settings() {
  nb::list result;
  JobSettings defaults;
  const OptionTable table = defaults.table();
  for (const Option& option : table.options()) {
    if (option.has(Trait::kPython)) result.append(row_of(option));
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
    entry["needs"] = need_names(row.needs);
    entry["options"] = options_of(choose_learner(row.name)->options());
    result[nb::str(row.name.data(), row.name.size())] = entry;
  }
  return result;
}

}  // namespace

JobSettings settings_of(const std::string& task, const std::string& learner, const OptionValues& values) {
  JobSettings settings;
  OptionTable table = settings.table();
  set_options(table, values);
  settings.task = task;
  settings.learner = learner;
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

PythonObserver::PythonObserver(std::string learner, nb::object watcher)
    : learner_(std::move(learner)),
      watcher_(std::move(watcher)),
      train_scores_(!watcher_.is_none() && nb::cast<bool>(watcher_.attr("train_scores"))) {}

void PythonObserver::stage_begins(const StageInfo& stage) {
  told_ = stage.stage == Stage::kMain;
  main_scores_ = stage.main_scores;
  const nb::gil_scoped_acquire gil;
  if (!told_ || watcher_.is_none()) return;
  watcher_.attr("begins")(stage.epochs < kNoLimit ? nb::cast(stage.epochs) : nb::none());
}

void PythonObserver::epoch_done(const EpochReport& report) {
  if (!told_) return;
  const std::string json = to_json_line(report, learner_);
  lines_ += json;
  const std::string scores = epoch_scores(report, main_scores_);
  const std::string line = "epoch " + epoch_of(report.epoch, report.epochs) + scores + epoch_time(report);
  const nb::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
  if (!watcher_.is_none()) stop_ = nb::cast<bool>(nb::bool_(watcher_.attr("epoch")(json, line, scores)));
}

void PythonObserver::warn(const std::string& message) {
  const nb::gil_scoped_acquire gil;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, message.c_str(), 1) != 0) throw nb::python_error();
}

void PythonObserver::say(const std::string& line) {
  const nb::gil_scoped_acquire gil;
  nb::module_::import_("logging").attr("getLogger")("hinge").attr("info")(line);
  if (!watcher_.is_none()) watcher_.attr("say")(line);
}

void bind_tables(nb::module_& m) {
  m.def("tasks", &tasks, "Name -> summary and options of every task.");
  m.def("learners", &learners, "Name -> summary, loss and options of every learner.");
  m.def("settings", &settings, "The settings of training.");
  m.def(
      "nearest",
      [](const std::string& word, const std::vector<std::string>& names) {
        const std::vector<std::string_view> views(names.begin(), names.end());
        return std::string(nearest_name(word, views));
      },
      nb::arg("word"), nb::arg("names"), "The name closest to a word, or nothing.");
  m.attr("version") = HINGE_VERSION;
}

}  // namespace hinge::python
