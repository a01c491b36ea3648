#include "python/src/model.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>

#include "hinge/core/error.h"
#include "hinge/core/missing.h"
#include "hinge/files/file_list.h"
#include "hinge/pipeline/job.h"
#include "python/src/predict_each.h"
#include "python/src/training.h"

namespace hinge::python {
namespace {

ModelFile check_task_of(ModelFile file, std::string_view task) {
  const std::string other = file.description().task();
  if (other != task) {
    fail<ModelError>("{}: is a model of the task {}, not {}; open it with the class for that task",
                     file.name(), other, task);
  }
  return file;
}

void write_file(const std::string& path, std::string_view bytes) {
  OutputFile out(path);
  out.write(bytes);
  out.commit();
}

nb::list to_list(const Scores& scores) {
  nb::list result;
  for (const auto& [name, value] : scores) result.append(nb::make_tuple(name, value));
  return result;
}

std::optional<ModelFile> model_in(const nb::object& init) {
  if (init.is_none()) return std::nullopt;
  const auto held = nb::cast<nb::bytes>(init);
  return ModelFile::from_bytes(std::string(held.c_str(), held.size()), "the initial model");
}

// -> (bytes of a model, a JSON line per epoch)
nb::tuple train_task(const std::string& task, const OptionValues& task_options, const std::string& learner,
                     const OptionValues& learner_options, const Data& data, const Data* dev,
                     const OptionValues& settings, nb::object init, nb::object watcher,
                     const std::string& input) {
  PythonObserver observer(learner, std::move(watcher));
  std::optional<ModelFile> begin = model_in(init);
  std::string bytes;
  {
    const nb::gil_scoped_release release;
    Job job(settings_of(task, learner, settings));
    set_options(job.task->options(), task_options);
    set_options(job.learner->options(), learner_options);
    job.train = data.source;
    if (dev != nullptr) job.dev = dev->source;
    if (begin) job.init.emplace(std::move(*begin));
    if (!input.empty()) job.input = Json::parse(input);
    Workers workers(job.settings.thread_count());
    const SignalScope signals;
    const JobData loaded = load(job, workers, observer);
    bytes = model_bytes(job, loaded, learn(job, loaded, workers, observer));
  }
  return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()), observer.lines());
}

}  // namespace

Source existing_files(const std::string& path) {
  const std::vector<std::string> files = list_files(path);
  for (const std::string& file : files) existing<MissingInput>(file);
  return Source::of_files(files);
}

ModelFile open_bytes(nb::bytes bytes, std::string_view task) {
  return check_task_of(ModelFile::from_bytes(std::string(bytes.c_str(), bytes.size()), "the model"), task);
}

ModelFile open_path(const std::string& path, std::string_view task) {
  return check_task_of(ModelFile::open(path), task);
}

nb::bytes Model::bytes() const { return nb::bytes(file_.bytes().data(), file_.bytes().size()); }

void Model::save(const std::string& path) const { write_file(path, file_.bytes()); }

std::string Model::meta() const { return file_.description().json().dump_sorted(); }

std::string Model::summary() const { return open_predictor(file_)->summary(); }

nb::tuple Model::evaluate(const Data& data, const OptionValues& options, int threads) const {
  Evaluation evaluation;
  {
    const nb::gil_scoped_release release;
    const SignalScope signals;
    const auto predictor = open_predictor(file_);
    for (const auto& [name, value] : options) {
      if (OptionTable* table = predictor->options(); table != nullptr && table->has(name))
        table->set(name, value);
    }
    Workers workers(thread_count(threads));
    evaluation = predictor->evaluate(data.source, workers);
  }
  return nb::make_tuple(to_list(evaluation.scores), evaluation.lower_is_better);
}

nb::list Model::heaviest(std::size_t n) const {
  nb::list result;
  for (const WeightLine& line : open_predictor(file_)->heaviest(n))
    result.append(nb::make_tuple(line.feature, line.label, line.weight));
  return result;
}

nb::object to_array(std::vector<float> values, std::size_t rows, std::size_t columns) {
  auto* held = new std::vector<float>(std::move(values));
  const nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<float>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, float, nb::ndim<2>>(held->data(), {rows, columns}, owner));
}

void bind_model(nb::module_& m) {
  nb::class_<Data>(m, "Data", "Examples of a task.");
  m.def(
      "file", [](const std::string& path) { return Data{existing_files(path)}; }, nb::arg("path"),
      "Examples in a file, or in several: 'a.txt,b.txt', 'part-*.gz'.");
  m.def(
      "write_file",
      [](const std::string& path, nb::bytes bytes) {
        write_file(path, {bytes.c_str(), bytes.size()});
      },
      nb::arg("path"), nb::arg("bytes"), "Writes a file atomically.");
  m.def("train", &train_task, nb::arg("task"), nb::arg("task_options"), nb::arg("learner"),
        nb::arg("learner_options"), nb::arg("data"), nb::arg("dev").none(), nb::arg("settings"),
        nb::arg("init").none(), nb::arg("watcher").none(), nb::arg("input"));
  m.def(
      "task_of", [](const std::string& path) { return ModelFile::open(path).description().task(); },
      nb::arg("path"), "The task of a model file.");
  nb::class_<Model>(m, "Model")
      .def("bytes", &Model::bytes)
      .def("meta", &Model::meta)
      .def("summary", &Model::summary)
      .def_prop_ro("likelihood",
                   [](const Model& model) { return model.file().description().flag("likelihood"); })
      .def("evaluate", &Model::evaluate, nb::arg("data"), nb::arg("options"), nb::arg("threads"))
      .def("save", &Model::save, nb::arg("path"))
      .def("heaviest", &Model::heaviest, nb::arg("n"));
}

}  // namespace hinge::python
