#include "python/src/text.h"

#include <fmt/format.h>

namespace hinge::python {

nb::object sequence(nb::handle object, const std::string& what) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr())) return nb::borrow(object);
  if (PyUnicode_Check(object.ptr()) || PyBytes_Check(object.ptr()) || PyDict_Check(object.ptr()) ||
      !nb::hasattr(object, "__len__") || !nb::hasattr(object, "__iter__")) {
    throw nb::type_error(fmt::format("{} must be a list, not {}", what, class_name(object)).c_str());
  }
  PyObject* list = PySequence_List(object.ptr());
  if (list == nullptr) throw nb::python_error();
  return nb::steal(list);
}

nb::object item(nb::handle sequence, std::size_t i) {
  const auto k = static_cast<Py_ssize_t>(i);
  PyObject* found =
      PyList_Check(sequence.ptr()) ? PyList_GetItem(sequence.ptr(), k) : PyTuple_GetItem(sequence.ptr(), k);
  if (found == nullptr) throw nb::python_error();
  return nb::borrow(found);
}

}  // namespace hinge::python
