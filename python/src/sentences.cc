#include "python/src/sentences.h"

#include <fmt/core.h>
#include <nanobind/ndarray.h>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "python/src/text.h"

namespace hinge::python {
namespace {

bool is_mapping(nb::handle object) {
  return PyDict_Check(object.ptr()) || (!PyTuple_Check(object.ptr()) && !PyList_Check(object.ptr()) &&
                                        nb::hasattr(object, "keys") && nb::hasattr(object, "items"));
}

// A dict unchanged, another mapping as a dict.
nb::object to_dict(nb::handle mapping) {
  if (PyDict_Check(mapping.ptr())) return nb::borrow(mapping);
  nb::object dict = nb::steal(PyDict_New());
  if (!dict.is_valid() || PyDict_Update(dict.ptr(), mapping.ptr()) != 0) throw nb::python_error();
  return dict;
}

bool is_collection(nb::handle object) {
  return !is_text(object) && !is_mapping(object) && nb::hasattr(object, "__iter__");
}

bool is_number(nb::handle value) { return PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr()); }

// An array of numbers, which is not a list of words.
bool is_numeric_array(nb::handle object) {
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()) || !nb::ndarray_check(object)) return false;
  if (!nb::hasattr(object, "dtype") || !nb::hasattr(object.attr("dtype"), "kind")) return true;
  const std::string kind = plain(object.attr("dtype").attr("kind"));
  return kind == "f" || kind == "i" || kind == "u" || kind == "b";
}

}  // namespace

SentenceReader::SentenceReader(nb::handle X, nb::handle y, TokenLists lists, TokenShape empty)
    : X_(sequence(X, "X")),
      y_(y.is_none() ? nb::object() : sequence(y, "y")),
      lists_(lists),
      size_(length(X_)),
      kind_(empty.attributes ? Kind::kAttributes : Kind::kCells),
      columns_(empty.columns) {
  if (y_.is_valid() && length(y_) != size_)
    fail<InputError>("X has {} sentences, but y has {}; they must match", size_, length(y_));
  settle_kind();
}

bool SentenceReader::is_features(nb::handle token) const {
  if (is_mapping(token) || PyAnySet_Check(token.ptr())) return true;
  return lists_ == TokenLists::kAttributes && is_collection(token);
}

// Decided by the first token.
void SentenceReader::settle_kind() {
  for (sentence_ = 0; sentence_ < size_; ++sentence_) {
    const nb::object sentence = item(X_, sentence_);
    if (is_numeric_array(sentence)) {
      kind_ = Kind::kAttributes;
      return;
    }
    const nb::object tokens = sequence(sentence, fmt::format("sentence {} of X", sentence_ + 1));
    if (length(tokens) == 0) continue;
    const nb::object token = item(tokens, 0);
    if (is_features(token)) {
      kind_ = Kind::kAttributes;
    } else if (PyTuple_Check(token.ptr()) || PyList_Check(token.ptr())) {
      kind_ = Kind::kCells;
      columns_ = length(token);
      if (columns_ == 0) refuse("a token has no cells");
    } else if (PyUnicode_Check(token.ptr())) {
      kind_ = Kind::kWords;
      columns_ = 1;
    } else {
      throw nb::type_error(
          fmt::format("sentence {}, token 1: a token is a str, a tuple of str or a dict of features, not {}",
                      sentence_ + 1, class_name(token))
              .c_str());
    }
    return;
  }
}

tag::Sentences SentenceReader::read(std::size_t begin, std::size_t end) {
  tag::Sentences out = kind_ == Kind::kAttributes ? tag::Sentences::of_attributes(y_.is_valid())
                                                  : tag::Sentences::of_cells(columns_, y_.is_valid());
  for (sentence_ = begin; sentence_ < end; ++sentence_) {
    check_interrupt();
    read_sentence(sentence_, out);
  }
  return out;
}

void SentenceReader::read_sentence(std::size_t s, tag::Sentences& out) {
  token_ = 0;
  const nb::object given = item(X_, s);
  const nb::object labels =
      y_.is_valid() ? sequence(item(y_, s), fmt::format("sentence {} of y", s + 1)) : nb::object();
  if (is_numeric_array(given)) {
    read_array(given, labels, out);
    return;
  }
  const nb::object tokens = sequence(given, fmt::format("sentence {} of X", s + 1));
  const std::size_t n = length(tokens);
  if (labels.is_valid() && length(labels) != n) {
    fail<InputError>("sentence {}: X has {} tokens, but y has {} labels", s + 1, n, length(labels));
  }
  for (token_ = 0; token_ < n; ++token_) {
    read_token(item(tokens, token_), out);
    read_label(labels, token_, out);
    out.end_token();
  }
  out.end_sentence();
}

void SentenceReader::read_array(nb::handle array, nb::handle labels, tag::Sentences& out) {
  using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  if (kind_ != Kind::kAttributes) refuse("an array of numbers, but other sentences are words");
  Matrix matrix;
  if (!nb::try_cast<Matrix>(array, matrix, /*convert=*/true))
    fail<InputError>("sentence {}: an array must be of numbers, [tokens, features]", sentence_ + 1);
  const std::size_t tokens = matrix.shape(0);
  const std::size_t features = matrix.shape(1);
  if (labels.is_valid() && length(labels) != tokens) {
    fail<InputError>("sentence {}: X has {} tokens, but y has {} labels", sentence_ + 1, tokens,
                     length(labels));
  }
  while (numbers_.size() < features) numbers_.push_back(fmt::format("{}", numbers_.size()));
  for (token_ = 0; token_ < tokens; ++token_) {
    for (std::size_t f = 0; f < features; ++f)
      out.add_attribute(numbers_[f], matrix.data()[token_ * features + f]);
    read_label(labels, token_, out);
    out.end_token();
  }
  out.end_sentence();
}

void SentenceReader::read_token(nb::handle token, tag::Sentences& out) {
  if (kind_ == Kind::kWords) {
    out.add_cell(text(token, "a token, as the first one is a str,"));
  } else if (kind_ == Kind::kAttributes) {
    depth_ = 0;
    read_features(token, "", out);
  } else {
    if (!PyTuple_Check(token.ptr()) && !PyList_Check(token.ptr()))
      refuse(fmt::format("a token of {} cells was expected, not {}", columns_, class_name(token)));
    const std::size_t cells = length(token);
    if (cells != columns_) refuse(fmt::format("has {} cells, but the first token has {}", cells, columns_));
    for (std::size_t c = 0; c < cells; ++c) out.add_cell(text(item(token, c), "a cell"));
  }
}

// A dict, or only names.
void SentenceReader::read_features(nb::handle features, const std::string& prefix, tag::Sentences& out) {
  constexpr std::size_t kDeepest = 50;
  if (++depth_ > kDeepest) refuse("dicts are nested more than 50 deep");
  if (is_mapping(features)) {
    each_item(to_dict(features), [&](const nb::object& key, const nb::object& value) {
      const std::string_view own = name(key, "the name of a feature");
      if (prefix.empty()) {
        read_value(own, value, out);
      } else {
        read_value(fmt::format("{}:{}", prefix, own), value, out);
      }
    });
  } else if (is_collection(features)) {
    for (const nb::handle feature : nb::borrow<nb::iterable>(features)) {
      if (prefix.empty()) {
        out.add_attribute(name(feature, "the name of a feature"), 1.0);
      } else {
        out.add_attribute(prefix, name(feature, "a value in a list"));
      }
    }
  } else {
    refuse(fmt::format("a dict of features was expected, not {}", class_name(features)));
  }
  --depth_;
}

void SentenceReader::read_value(std::string_view name, nb::handle value, tag::Sentences& out) {
  if (is_text(value)) {
    out.add_attribute(name, text_bytes(value));
  } else if (is_number(value)) {  // bools are numbers
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) throw nb::python_error();
    out.add_attribute(name, number);
  } else if (PyDict_Check(value.ptr()) || PyAnySet_Check(value.ptr()) || PyList_Check(value.ptr()) ||
             PyTuple_Check(value.ptr())) {
    read_features(value, std::string(name), out);
  } else {
    const double number = PyFloat_AsDouble(value.ptr());  // NumPy's numbers
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(
          fmt::format("feature '{}' is of type {}; a str, a number, a bool, a list of str or a dict was "
                      "expected",
                      name, class_name(value)));
    }
    out.add_attribute(name, number);
  }
}

void SentenceReader::read_label(nb::handle labels, std::size_t t, tag::Sentences& out) {
  if (labels.is_valid()) out.add_label(text(item(labels, t), "a label"));
}

// A name may also be bytes.
std::string_view SentenceReader::name(nb::handle string, const char* what) const {
  return PyBytes_Check(string.ptr()) ? text_bytes(string) : text(string, what);
}

std::string_view SentenceReader::text(nb::handle string, const char* what) const {
  if (!PyUnicode_Check(string.ptr()))
    refuse(fmt::format("{} must be a str, not {}", what, class_name(string)));
  return utf8(string);
}

void SentenceReader::refuse(const std::string& message) const {
  throw nb::type_error(fmt::format("sentence {}, token {}: {}", sentence_ + 1, token_ + 1, message).c_str());
}

}  // namespace hinge::python
