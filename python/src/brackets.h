// Phrase-structure trees as Python objects: a str in brackets, a tuple (label, child,
// ...) with (tag, word) for every word, or an object with label() that iterates over
// its children, as in NLTK.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hinge/corpus/brackets.h"

namespace hinge::python {

namespace nb = nanobind;

// Whether it is a tuple or has a method label(). A str may be a tree, too.
bool is_tree(nb::handle object);

// Writes Python objects as lines of text. Bad ones throw TypeError or InputError, with
// `where` ("tree 3") in the message. Needs the GIL.
class BracketObjects {
 public:
  // A tree as brackets; nothing for () and "".
  void append_tree(const nb::object& given, const std::string& where, std::string& line);
  // A tree as brackets, also a str with several in a row; a list of words, or a str of words
  // between blanks, as words between blanks. Brackets in words are escaped.
  void append_sentence(const nb::object& given, const std::string& where, std::string& line);

 private:
  void parse(const nb::object& string, std::string& line);
  std::pair<nb::object, nb::object> parts_of(nb::handle node) const;
  void add_node(nb::handle given, std::size_t depth);
  void add_word(nb::handle word);
  std::string_view checked(nb::handle string, const char* what, std::string_view forbidden) const;
  [[noreturn]] void refuse(const std::string& message) const;

  std::string where_;
  BracketTree tree_;
  std::vector<nb::object> held_;  // strings that the tree views
};

// Nested tuples; () for a tree without nodes.
nb::tuple to_tuples(const BracketTree& tree);

void bind_brackets(nb::module_& m);

}  // namespace hinge::python
