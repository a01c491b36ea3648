#include "python/src/python_task.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>

#include "hinge/core/communicator.h"
#include "hinge/core/error.h"
#include "hinge/learn/driver/check_task.h"
#include "python/src/text.h"
#include "python/src/training.h"

namespace hinge::python {
namespace {

// Calls body(name, value) for all features in a dict.
template <typename Body>
void each_feature(nb::handle features, const Body& body) {
  if (!PyDict_Check(features.ptr())) {
    throw nb::type_error(
        fmt::format("features must be a dict of names and numbers, not {}", class_name(features)).c_str());
  }
  each_item(features, [&body](const nb::object& name, const nb::object& value) {
    if (!PyUnicode_Check(name.ptr())) {
      throw nb::type_error(
          fmt::format("a feature is named {}, which is not a str", plain(nb::repr(name))).c_str());
    }
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
    if (!std::isfinite(number)) {
      fail<InputError>("feature '{}' is {}; values must be finite numbers", plain(name), number);
    }
    body(name.ptr(), number);
  });
}

nb::object method(const nb::object& task, const char* name) {
  if (nb::hasattr(task, name)) {
    nb::object found = task.attr(name);
    if (PyCallable_Check(found.ptr()) != 0) return found;
  }
  throw nb::type_error(fmt::format("a task has the methods features(x, y), loss(gold, y) and decode(x, "
                                   "score, augment); {} has no {}",
                                   class_name(task), name)
                           .c_str());
}

}  // namespace

std::int64_t FeatureIds::find(PyObject* name) const {
  PyObject* id = PyDict_GetItemWithError(ids_.ptr(), name);
  if (id == nullptr) {
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
    return -1;
  }
  return PyLong_AsLongLong(id);
}

FeatureId FeatureIds::intern(PyObject* name) {
  const std::int64_t known = find(name);
  if (known >= 0) return static_cast<FeatureId>(known);
  const std::size_t id = size();
  if (id == most_) {
    fail<InputError>("there are more than max_features={} features; raise it or use fewer names", most_);
  }
  ids_[nb::handle(name)] = id;
  return static_cast<FeatureId>(id);
}

double Score::operator()(nb::handle features) const {
  if (w_ == nullptr) throw std::runtime_error("score() can be called only during decode()");
  double sum = 0.0;
  each_feature(features, [&](PyObject* name, double value) {
    const std::int64_t id = ids_->find(name);
    if (id >= 0) sum += value * (*w_)[static_cast<std::size_t>(id)];
  });
  return sum;
}

void Augment::set(nb::object loss, nb::object gold, double weight) {
  loss_ = std::move(loss);
  gold_ = std::move(gold);
  weight_ = weight;
}

double Augment::operator()(nb::handle y) const {
  if (!loss_.is_valid()) throw std::runtime_error("augment() can be called only during decode()");
  return weight_ * checked_loss(loss_, gold_, y);
}

double checked_loss(const nb::object& loss, nb::handle gold, nb::handle y) {
  const double value = PyFloat_AsDouble(loss(gold, y).ptr());
  if (value == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
  if (!std::isfinite(value) || value < 0.0)
    fail<InputError>("loss(gold, y) is {}, but a loss must be finite and never negative", value);
  return value;
}

PythonTask::PythonTask(nb::object task, nb::list X, nb::list y, std::size_t most_features)
    : features_(method(task, "features")),
      loss_(method(task, "loss")),
      decode_(method(task, "decode")),
      ids_(most_features),
      score_(new Score(ids_)),
      augment_(new Augment()),
      score_object_(nb::cast(score_, nb::rv_policy::take_ownership)),
      augment_object_(nb::cast(augment_, nb::rv_policy::take_ownership)) {
  // Held first: user code called below may change the lists.
  for (std::size_t i = 0; i < length(X); ++i) {
    inputs_.push_back(item(X, i));
    golds_.push_back(item(y, i));
  }
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    SparseVector& gold = gold_features_.emplace_back();
    each_feature(features_(inputs_[i], golds_[i]), [&](PyObject* name, double value) {
      if (value != 0.0) gold.add(ids_.intern(name), static_cast<float>(value));
    });
  }
}

PythonTask::~PythonTask() { score_->set(nullptr); }

nb::object PythonTask::decode(nb::handle x, const Weights& w, nb::handle augment) const {
  // Both become invalid after the call, even if it throws: user code may keep them.
  struct Ending {
    Score* score;
    Augment* augment;
    ~Ending() {
      score->set(nullptr);
      augment->clear();
    }
  } const ending{score_, augment_};
  score_->set(&w);
  return decode_(x, score_object_, augment);
}

nb::object PythonTask::decode(nb::handle x, const Weights& w) const { return decode(x, w, nb::none()); }

void PythonTask::most_violated(std::size_t i, const Weights& w, double loss_weight, Scratch&,
                               Cut& cut) const {
  const nb::gil_scoped_acquire gil;
  nb::object rival;
  if (loss_weight == 0.0) {
    rival = decode(inputs_[i], w);
  } else {
    augment_->set(loss_, golds_[i], loss_weight);
    rival = decode(inputs_[i], w, augment_object_);
  }
  cut.loss = checked_loss(loss_, golds_[i], rival);
  cut.psi.clear();
  cut.psi.append(gold_features_[i], 1.0f);
  each_feature(features_(inputs_[i], rival), [&](PyObject* name, double value) {
    if (value != 0.0) cut.psi.add(ids_.intern(name), static_cast<float>(-value));
  });
  cut.psi.merge();
  cut.margin = dot(w, cut.psi);
}

// Names without a number have no weight yet, so nothing else is read.
void PythonTask::support(std::size_t, Scratch&, std::vector<Block>& blocks) const {
  const nb::gil_scoped_acquire gil;
  blocks.push_back({0, static_cast<FeatureId>(ids_.size())});
}

double PythonTask::mean_loss(nb::list X, nb::list y, const Weights& w) const {
  double sum = 0.0;
  const std::size_t n = length(X);
  for (std::size_t i = 0; i < n; ++i) sum += checked_loss(loss_, item(y, i), decode(item(X, i), w));
  return sum / static_cast<double>(std::max<std::size_t>(1, n));
}

namespace {

Weights weights_of(const nb::dict& named, FeatureIds& ids) {
  Weights w(ids.most());
  each_feature(named, [&](PyObject* name, double value) { w[ids.intern(name)] = static_cast<float>(value); });
  return w;
}

nb::dict named(const Weights& w, const FeatureIds& ids) {
  nb::dict result;
  for (const auto& [name, id] : ids.dict()) {
    const float value = w[nb::cast<std::size_t>(id)];
    if (value != 0.0f) result[name] = double{value};
  }
  return result;
}

// -> (weights by name, a JSON line per epoch)
nb::tuple train_python_task(nb::object task, nb::list X, nb::list y, nb::object X_dev, nb::object y_dev,
                            const std::string& learner, const OptionValues& options,
                            const OptionValues& settings, std::size_t most_features, nb::object init,
                            nb::object watcher) {
  PythonTask bound(task, X, y, most_features);
  const auto choice = choose_learner(learner);
  set_options(choice->options(), options);
  const JobSettings job = settings_of("", learner, settings);
  const RankScope scope(this_communicator(), static_cast<std::size_t>(job.shards));
  Lesson lesson{.task = bound, .learner = *choice, .settings = job.train_settings(choice->epochs())};
  const nb::list inputs = X_dev.is_none() ? nb::list() : nb::cast<nb::list>(X_dev);
  const nb::list golds = X_dev.is_none() ? nb::list() : nb::cast<nb::list>(y_dev);
  if (!X_dev.is_none()) {
    // Captures references, because copying Python objects needs the GIL.
    lesson.settings.dev_scores = [&](const Weights& w) {
      const nb::gil_scoped_acquire gil;
      return Scores{{"negative_loss", -bound.mean_loss(inputs, golds, w)}};
    };
  }
  if (!init.is_none()) lesson.start = weights_of(nb::cast<nb::dict>(init), bound.ids());
  PythonObserver observer(learner, std::move(watcher));
  Workers workers(1);
  Learned learned;
  {
    const nb::gil_scoped_release release;
    observer.stage_begins({Stage::kMain, static_cast<std::int64_t>(bound.size()), lesson.settings.epochs});
    learned = learn(std::move(lesson), workers, observer);
  }
  return nb::make_tuple(named(learned.weights(), bound.ids()), observer.lines());
}

nb::list predict_python_task(nb::object task, nb::list X, const nb::dict& weights) {
  PythonTask bound(std::move(task), nb::list(), nb::list(), nb::len(weights));
  const Weights w = weights_of(weights, bound.ids());
  nb::list result;
  for (std::size_t i = 0; i < length(X); ++i) result.append(bound.decode(item(X, i), w));
  return result;
}

std::vector<std::string> check_python_task(nb::object task, nb::list X, nb::list y, std::size_t most_features,
                                           std::size_t rounds, std::int64_t seed) {
  const PythonTask bound(std::move(task), X, y, most_features);
  return check_task(bound,
                    {.examples = bound.size(), .rounds = rounds, .seed = static_cast<std::uint64_t>(seed)});
}

}  // namespace

void bind_python_task(nb::module_& m) {
  nb::class_<Score>(m, "Score", "score(features): the sum of values times current weights.")
      .def("__call__", &Score::operator(), nb::arg("features"));
  nb::class_<Augment>(m, "Augment", "augment(y): the loss term added to the score of y.")
      .def("__call__", &Augment::operator(), nb::arg("y").none());
  m.def("train_python_task", &train_python_task, nb::arg("task"), nb::arg("X"), nb::arg("y"),
        nb::arg("X_dev").none(), nb::arg("y_dev").none(), nb::arg("learner"), nb::arg("options"),
        nb::arg("settings"), nb::arg("max_features"), nb::arg("init").none(), nb::arg("watcher").none());
  m.def("predict_python_task", &predict_python_task, nb::arg("task"), nb::arg("X"), nb::arg("weights"));
  m.def("check_python_task", &check_python_task, nb::arg("task"), nb::arg("X"), nb::arg("y"),
        nb::arg("max_features"), nb::arg("rounds"), nb::arg("seed"));
}

}  // namespace hinge::python
