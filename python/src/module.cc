// The extension module hinge._hinge, internal to the Python package; see
// docs/python.md for the public interface.
#include <nanobind/nanobind.h>

#include "hinge/core/error.h"
#include "hinge/core/missing.h"
#include "python/src/model.h"
#include "python/src/python_task.h"
#include "python/src/training.h"

NB_MODULE(_hinge, m) {
  using namespace hinge;
  namespace nb = nanobind;
  // nanobind tries the last registered first, so the most general comes first.
  const auto error = nb::exception<Error>(m, "Error", PyExc_ValueError);
  const auto input = nb::exception<InputError>(m, "InputError", error.ptr());
  nb::exception<OptionError>(m, "OptionError", error.ptr());
  const auto model = nb::exception<ModelError>(m, "ModelError", error.ptr());
  const nb::handle missing = PyExc_FileNotFoundError;
  nb::exception<MissingInput>(m, "MissingInputError", nb::make_tuple(input, missing).ptr());
  nb::exception<MissingModel>(m, "MissingModelError", nb::make_tuple(model, missing).ptr());
  nb::exception<OutputError>(m, "OutputError", PyExc_OSError);
  python::bind_tables(m);
  python::bind_python_task(m);
  python::bind_model(m);
  python::bind_tag(m);
  python::bind_dep(m);
  python::bind_rerank(m);
  python::bind_classify(m);
  python::bind_const(m);
  python::bind_coref(m);
  python::bind_summarize(m);
}
