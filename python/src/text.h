// Small conversions for reading Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace hinge::python {

namespace nb = nanobind;

// str(object) for messages; never throws.
inline std::string plain(nb::handle object) {
  const nb::object text = nb::steal(PyObject_Str(object.ptr()));
  Py_ssize_t size = 0;
  const char* bytes = text.is_valid() ? PyUnicode_AsUTF8AndSize(text.ptr(), &size) : nullptr;
  if (bytes != nullptr) return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();  // surrogates, or a __str__ that raises
  return "?";
}

inline std::string class_name(nb::handle object) { return plain(object.type().attr("__name__")); }

// Views the bytes of a str, which must outlive the view.
inline std::string_view utf8(nb::handle string) {
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
  if (bytes == nullptr) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

// A str, or bytes, which should be UTF-8.
inline bool is_text(nb::handle object) {
  return PyUnicode_Check(object.ptr()) != 0 || PyBytes_Check(object.ptr()) != 0;
}

// Views the bytes of either, which must outlive the view.
inline std::string_view text_bytes(nb::handle text) {
  if (PyBytes_Check(text.ptr()) == 0) return utf8(text);
  char* bytes = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(text.ptr(), &bytes, &size) != 0) throw nb::python_error();
  return {bytes, static_cast<std::size_t>(size)};
}

// Lists and tuples unchanged, other sequences as a list. Throws TypeError, naming
// the object `what`, for a str or a dict.
nb::object sequence(nb::handle object, const std::string& what);
// The length of a list or tuple. If a subclass defines __len__, its exceptions are
// passed on, and a result that is not the number of items throws TypeError, so
// that no memory is reserved for items that do not exist.
std::size_t length(nb::handle sequence);
nb::object item(nb::handle sequence, std::size_t i);  // of a list or tuple; IndexError past its end

// Calls body(key, value) for all items of a dict. Holds references to both, since
// body may run user code, such as __float__, that removes them from the dict.
// Throws RuntimeError if that changes the size of the dict.
template <typename Body>
void each_item(nb::handle dict, const Body& body) {
  const Py_ssize_t size = PyDict_Size(dict.ptr());
  PyObject* key = nullptr;
  PyObject* value = nullptr;
  Py_ssize_t position = 0;
  while (PyDict_Next(dict.ptr(), &position, &key, &value) != 0) {
    const nb::object held_key = nb::borrow(key);
    const nb::object held_value = nb::borrow(value);
    body(held_key, held_value);
    if (PyDict_Size(dict.ptr()) != size) throw std::runtime_error("a dict changed while it was read");
  }
}

}  // namespace hinge::python
