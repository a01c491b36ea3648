// Small conversions that every reader of Python's objects needs.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

namespace hinge::python {

namespace nb = nanobind;

// str(object) for messages, whatever it is.
inline std::string plain(nb::handle object) {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  Py_ssize_t size = 0;
  const char* bytes = text.is_valid() ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();  // surrogates, or a __str__ of its own
  return "?";
}

inline std::string class_name(nb::handle object) { return plain(object.type().attr("__name__")); }

// The bytes of a str, which must outlive them.
inline std::string_view utf8(nb::handle string) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

// The items of a list or tuple; of other sequences a list is made. A str or a
// dict is no sequence here: TypeError, which names it `what`.
nb::object sequence(nb::handle object, const std::string& what);
inline std::size_t length(nb::handle sequence) {
  return static_cast<std::size_t>(PyObject_Size(sequence.ptr()));
}
nb::object item(nb::handle sequence, std::size_t i);  // of what sequence() gave; IndexError past its end

}  // namespace hinge::python
