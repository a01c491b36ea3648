#include "python/src/brackets.h"

#include <nanobind/stl/string.h>

#include <algorithm>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/scan.h"
#include "hinge/corpus/split.h"
#include "python/src/model.h"
#include "python/src/text.h"
#include "python/src/training.h"

namespace hinge::python {
namespace {

constexpr std::string_view kBlanks = " \t\n\r";
constexpr std::string_view kBlanksAndBrackets = " \t\n\r()";
constexpr BracketCleaning kKeepAll{.keep_functions = true, .keep_empty = true};

nb::str to_str(std::string_view text) { return nb::str(text.data(), text.size()); }

// Whether it has a method label(), as NLTK's trees, which are also lists.
bool has_label(nb::handle object) {
  if (PyTuple_CheckExact(object.ptr()) || PyList_CheckExact(object.ptr())) return false;  // fast
  const nb::object found = nb::steal(PyObject_GetAttrString(object.ptr(), "label"));
  if (!found.is_valid()) PyErr_Clear();
  return found.is_valid() && PyCallable_Check(found.ptr()) != 0;
}

// How many trees follow each other in text that could be parsed.
std::size_t count_trees(std::string_view text) {
  std::size_t trees = 0;
  std::size_t depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    if (c == ')' && --depth == 0) ++trees;
  }
  return trees;
}

void append_words(const std::vector<std::string_view>& words, std::string& line) {
  for (const std::string_view word : words) {
    if (!line.empty()) line += ' ';
    append_escaped(word, line);
  }
}

std::string to_brackets(const nb::object& tree) {
  std::string line;
  BracketObjects().append_tree(tree, "the tree", line);
  return line;
}

nb::tuple from_brackets(const nb::object& text) {
  if (!PyUnicode_Check(text.ptr()))
    throw nb::type_error(fmt::format("brackets must be a str, not {}", class_name(text)).c_str());
  const std::string line = to_brackets(text);
  BracketTree tree;
  if (!line.empty()) parse_brackets(line, "the tree", kKeepAll, tree);
  return to_tuples(tree);
}

nb::list read_brackets(const std::string& path) {
  const SignalScope signals;
  BracketReader reader(existing_files(path).input(), kKeepAll);
  BracketTree tree;
  nb::list result;
  while (reader.next(tree)) {
    check_interrupt();
    result.append(to_tuples(tree));
  }
  return result;
}

}  // namespace

bool is_tree(nb::handle object) { return PyTuple_Check(object.ptr()) || has_label(object); }

void BracketObjects::append_tree(const nb::object& given, const std::string& where, std::string& line) {
  where_ = where;
  if (PyUnicode_Check(given.ptr())) {
    const std::string_view text = utf8(given);
    parse(given, line);
    if (const std::size_t trees = count_trees(text); trees > 1)
      fail<InputError>("{}: there are {} trees in one str; give each its own", where_, trees);
    return;
  }
  const bool labelled = has_label(given);
  if (!labelled && !PyTuple_Check(given.ptr()))
    refuse(fmt::format(
        "a tree is a str in brackets, a tuple (label, child, ...) or an object with label(), not {}",
        class_name(given)));
  if (!labelled && length(given) == 0) return;
  tree_.clear();
  held_.clear();
  add_node(given, 1);
  append_brackets(tree_, line);
}

void BracketObjects::append_sentence(const nb::object& given, const std::string& where, std::string& line) {
  where_ = where;
  std::vector<std::string_view> words;
  if (PyUnicode_Check(given.ptr())) {
    std::string text(utf8(given));
    std::ranges::replace_if(
        text, [](char c) { return c == '\n' || c == '\r'; }, ' ');
    if (looks_like_brackets(text)) {
      parse(given, line);
      return;
    }
    split_at_blanks(checked(given, "text", ""), words);
    append_words(words, line);
    return;
  }
  if (is_tree(given)) {
    append_tree(given, where, line);
    return;
  }
  const nb::object list = sequence(given, where);
  held_.clear();
  for (std::size_t i = 0; i < length(list); ++i) {
    held_.push_back(item(list, i));
    words.push_back(checked(held_.back(), "word", kBlanks));
  }
  append_words(words, line);
}

void BracketObjects::parse(const nb::object& string, std::string& line) {
  const std::string_view text = checked(string, "text", "");
  if (!parse_brackets(text, where_, kKeepAll, tree_)) return;
  for (std::size_t k = 1; k < tree_.nodes.size(); ++k) {
    if (tree_.nodes[k].label.empty())
      fail<InputError>("{}: a phrase has no label; only the whole tree may have none", where_);
  }
  append_brackets(tree_, line);
}

// The label of a node, and what iterates over its children.
std::pair<nb::object, nb::object> BracketObjects::parts_of(nb::handle node) const {
  nb::object label, children;
  if (has_label(node)) {
    label = node.attr("label")();
    children = nb::borrow(node);
  } else if (PyTuple_Check(node.ptr())) {
    const std::size_t size = length(node);
    if (size == 0) fail<InputError>("{}: a phrase is (); expected (label, child, ...)", where_);
    label = item(node, 0);
    children = nb::steal(PyTuple_GetSlice(node.ptr(), 1, static_cast<Py_ssize_t>(size)));
  } else {
    refuse(fmt::format("a child is a str, a tuple or an object with label(), not {}", class_name(node)));
  }
  if (!PyUnicode_Check(label.ptr())) refuse(fmt::format("a label must be a str, not {}", class_name(label)));
  return {std::move(label), std::move(children)};
}

void BracketObjects::add_node(nb::handle given, std::size_t depth) {
  if (depth > kMostBracketDepth)
    fail<InputError>("{}: phrases are more than {} deep", where_, kMostBracketDepth);
  const auto [label, children] = parts_of(given);
  held_.push_back(label);
  const std::size_t k = tree_.nodes.size();
  const auto node = [this, k]() -> BracketNode& { return tree_.nodes[k]; };
  const auto begin = static_cast<std::uint32_t>(tree_.words.size());
  tree_.nodes.push_back({"", begin, begin, 0, false});
  if (depth > 1 || !utf8(label).empty()) node().label = checked(label, "label", kBlanksAndBrackets);
  bool empty = true;
  for (const nb::handle child : children) {
    const bool word = PyUnicode_Check(child.ptr());
    if (node().word || (word && !empty))
      fail<InputError>(
          "{}: '{}' has a word and more; in a tree every word has its own tag, (tag, word), and words "
          "without "
          "a tree are a list",
          where_, node().label);
    empty = false;
    node().word = word;
    if (word) {
      add_word(child);
    } else {
      add_node(child, depth + 1);
    }
  }
  if (empty) fail<InputError>("{}: '{}' has no children", where_, node().label);
  if (node().word && node().label.empty()) fail<InputError>("{}: a word has no tag", where_);
  node().end = static_cast<std::uint32_t>(tree_.words.size());
  node().next = static_cast<std::uint32_t>(tree_.nodes.size());
}

void BracketObjects::add_word(nb::handle word) {
  if (tree_.words.size() == kMostTreeWords)
    fail<InputError>("{}: has more than {} words", where_, kMostTreeWords);
  held_.push_back(nb::borrow(word));
  tree_.words.push_back(checked(word, "word", kBlanks));
}

// The bytes of a word or label, or of a whole text if nothing is forbidden.
std::string_view BracketObjects::checked(nb::handle string, const char* what,
                                         std::string_view forbidden) const {
  if (!PyUnicode_Check(string.ptr()))
    refuse(fmt::format("a {} must be a str, not {}", what, class_name(string)));
  const std::string_view text = utf8(string);
  if (find_bad_byte(text) != std::string_view::npos)
    fail<InputError>("{}: the {} has a NUL byte", where_, what);
  if (forbidden.empty()) return text;
  if (text.empty()) fail<InputError>("{}: a {} is empty", where_, what);
  if (const std::size_t at = text.find_first_of(forbidden); at != std::string_view::npos)
    fail<InputError>("{}: the {} '{}' has a {}", where_, what, shown(text),
                     text[at] == '(' || text[at] == ')' ? "bracket" : "blank");
  return text;
}

void BracketObjects::refuse(const std::string& message) const {
  throw nb::type_error(fmt::format("{}: {}", where_, message).c_str());
}

nb::tuple to_tuples(const BracketTree& tree) {
  std::vector<nb::tuple> done;  // subtrees whose parent is not yet, the last one first
  for (std::size_t k = tree.nodes.size(); k-- > 0;) {
    const BracketNode& node = tree.nodes[k];
    if (node.word) {
      done.push_back(nb::make_tuple(to_str(node.label), to_str(tree.words[node.begin])));
      continue;
    }
    Py_ssize_t size = 1;
    for (std::size_t c = k + 1; c < node.next; c = tree.nodes[c].next) ++size;
    nb::tuple tuple = nb::steal<nb::tuple>(PyTuple_New(size));
    if (!tuple.is_valid()) throw nb::python_error();
    PyTuple_SetItem(tuple.ptr(), 0, to_str(node.label).release().ptr());
    for (Py_ssize_t c = 1; c < size; ++c) {
      PyTuple_SetItem(tuple.ptr(), c, done.back().release().ptr());
      done.pop_back();
    }
    done.push_back(std::move(tuple));
  }
  return done.empty() ? nb::make_tuple() : std::move(done.back());
}

void bind_brackets(nb::module_& m) {
  m.def("to_brackets", &to_brackets, nb::arg("tree").none());
  m.def("from_brackets", &from_brackets, nb::arg("text").none());
  m.def("read_brackets", &read_brackets, nb::arg("path"));
}

}  // namespace hinge::python
