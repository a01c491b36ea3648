#include "python/src/text.h"

#include <fmt/core.h>

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

std::size_t length(nb::handle sequence) {
  const Py_ssize_t claimed = PyObject_Size(sequence.ptr());
  if (claimed < 0) throw nb::python_error();
  const Py_ssize_t items =
      PyList_Check(sequence.ptr()) ? PyList_Size(sequence.ptr()) : PyTuple_Size(sequence.ptr());
  if (claimed != items) {
    throw nb::type_error(
        fmt::format("the len() of a {} is {}, but it has {} items", class_name(sequence), claimed, items)
            .c_str());
  }
  return static_cast<std::size_t>(items);
}

nb::object item(nb::handle sequence, std::size_t i) {
  const auto k = static_cast<Py_ssize_t>(i);
  PyObject* found =
      PyList_Check(sequence.ptr()) ? PyList_GetItem(sequence.ptr(), k) : PyTuple_GetItem(sequence.ptr(), k);
  if (found == nullptr) throw nb::python_error();
  return nb::borrow(found);
}

}  // namespace hinge::python
