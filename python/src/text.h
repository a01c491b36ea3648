// Small conversions that every reader of Python's objects needs.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
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
// Length of what sequence() gave, or of another list or tuple. A class may have a len()
// of its own: what that raises comes out, and where it is not the number of items,
// TypeError, so that nobody makes room for items that only a len() claims.
std::size_t length(nb::handle sequence);
nb::object item(nb::handle sequence, std::size_t i);  // of what sequence() gave; IndexError past its end

// body(key, value) for all of a dict. Both are held, as body may run code of
// users, such as __float__, that takes them out of the dict; RuntimeError where
// the dict has grown or shrunk then.
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
