// The part of a trained model that is the same for every task.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include "hinge/model/model_file.h"
#include "hinge/tasks/registry.h"
#include "hinge/tasks/source.h"

namespace hinge::python {

namespace nb = nanobind;

// The files that a path names: one, 'a.txt,b.txt' or 'part-*.gz'.
Source existing_files(const std::string& path);

// Examples of a task, in files or in memory.
struct Data {
  Source source;
};

class Model {
 public:
  explicit Model(ModelFile file) : file_(std::move(file)) {}
  virtual ~Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  const ModelFile& file() const { return file_; }
  nb::bytes bytes() const;
  void save(const std::string& path) const;
  std::string meta() const;  // JSON
  std::string summary() const;
  // -> ([(name, score)], whether a lower first score is better)
  nb::tuple evaluate(const Data& data, const std::map<std::string, std::string>& options, int threads) const;
  nb::list heaviest(std::size_t n) const;

 private:
  ModelFile file_;
};

// Throws ModelError if the model is of another task.
ModelFile open_bytes(nb::bytes bytes, std::string_view task);
ModelFile open_path(const std::string& path, std::string_view task);

// Constructors and pickling, the same for every model class.
template <typename M>
void bind_opening(nb::class_<M, Model>& c, std::string_view task) {
  c.def_static(
      "from_bytes", [task](nb::bytes bytes) { return new M(open_bytes(bytes, task)); }, nb::arg("data"),
      nb::rv_policy::take_ownership);
  c.def_static(
      "open", [task](const std::string& path) { return new M(open_path(path, task)); }, nb::arg("path"),
      nb::rv_policy::take_ownership);
  c.def("__getstate__", [](const M& model) { return model.bytes(); });
  c.def("__setstate__", [task](M& model, nb::bytes bytes) { new (&model) M(open_bytes(bytes, task)); });
}

void bind_model(nb::module_& m);
void bind_tag(nb::module_& m);
void bind_dep(nb::module_& m);
void bind_rerank(nb::module_& m);
void bind_classify(nb::module_& m);
void bind_const(nb::module_& m);
void bind_coref(nb::module_& m);
void bind_summarize(nb::module_& m);

}  // namespace hinge::python
