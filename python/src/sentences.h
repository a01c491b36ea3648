// Reads sentences from Python: lists of words, of tuples of cells, of dicts of
// features, or arrays of numbers.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "hinge/tasks/tag/memory.h"

namespace hinge::python {

namespace nb = nanobind;

// The meaning of a token that is a list: cells, as of a tuple, or names of features, as of
// every other collection then.
enum class TokenLists { kCells, kAttributes };

// What tokens are if there are none to tell.
struct TokenShape {
  bool attributes = false;
  std::size_t columns = 1;
};

// Views X and y, which must outlive it. Bad input throws TypeError or InputError
// with the sentence and token.
class SentenceReader {
 public:
  // y: None, or a list of lists of labels.
  SentenceReader(nb::handle X, nb::handle y, TokenLists lists, TokenShape empty = {});

  std::size_t size() const { return size_; }
  // Sentences [begin, end). Needs the GIL.
  tag::Sentences read(std::size_t begin, std::size_t end);

 private:
  enum class Kind { kWords, kCells, kAttributes };

  void settle_kind();
  bool is_features(nb::handle token) const;
  void read_sentence(std::size_t s, tag::Sentences& out);
  void read_array(nb::handle array, nb::handle labels, tag::Sentences& out);
  void read_token(nb::handle token, tag::Sentences& out);
  void read_features(nb::handle features, const std::string& prefix, tag::Sentences& out);
  void read_value(std::string_view name, nb::handle value, tag::Sentences& out);
  void read_label(nb::handle labels, std::size_t t, tag::Sentences& out);
  std::string_view text(nb::handle string, const char* what) const;
  std::string_view name(nb::handle string, const char* what) const;
  [[noreturn]] void refuse(const std::string& message) const;

  nb::object X_, y_;
  TokenLists lists_;
  std::size_t size_;
  Kind kind_;
  std::size_t columns_;
  std::size_t sentence_ = 0;  // being read, for messages
  std::size_t token_ = 0;
  std::size_t depth_ = 0;             // of nested dicts
  std::vector<std::string> numbers_;  // names of the columns of an array
};

}  // namespace hinge::python
