// Sentences to tag, in memory: cells in columns, as in a file, or, as in CRFsuite,
// any number of attributes per token, each a name and a number.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "hinge/corpus/column_memory.h"
#include "hinge/features/hash.h"
#include "hinge/tasks/source.h"

namespace hinge::tag {

// Attributes of the tokens of one sentence.
struct AttributeRows {
  std::span<const std::size_t> begin;  // [tokens + 1], into keys, values and name_end
  const Key* keys;                     // hashes of names
  const float* values;                 // finite
  const std::size_t* name_end;         // into names; each name begins where the previous ends
  const char* names;

  std::size_t tokens() const { return begin.size() - 1; }
  std::string_view name(std::size_t k) const {
    const std::size_t first = k == 0 ? 0 : name_end[k - 1];
    return {names + first, name_end[k] - first};
  }
};

// Built token by token: its cells or attributes in order, its label if labelled,
// end_token(); end_sentence() after the last, also for an empty sentence. The
// builders throw InputError "sentence 3, token 5: ..." if there are too few or too
// many cells, a label is missing, empty or unexpected, a value is not finite or a
// text is not UTF-8; do not use the object after that. Once built, any number of
// threads may read.
class Sentences final : public MemoryData {
 public:
  static Sentences of_cells(std::size_t columns, bool labelled);
  static Sentences of_attributes(bool labelled);

  void add_cell(std::string_view text) { columns_.add_cell(text); }
  void add_attribute(std::string_view name, double value);
  // The attribute "key:text" with value 1.
  void add_attribute(std::string_view key, std::string_view text);
  void add_label(std::string_view label);
  void end_token();
  void end_sentence();
  void clear();  // removes all sentences, keeps the memory

  bool has_attributes() const { return attributes_; }
  bool labelled() const { return labelled_; }
  std::size_t observed_columns() const { return attributes_ ? 0 : columns_.columns() - labelled_; }
  std::size_t sentences() const { return columns_.sentences(); }
  std::size_t examples() const override { return sentences(); }
  std::size_t tokens(std::size_t sentence) const { return columns_.tokens(sentence); }
  std::string_view label(std::size_t sentence, std::size_t token) const {
    return columns_.cell(columns_.begin(sentence) + token, columns_.columns() - 1);
  }
  // Where the last n sentences before one begin, not counting empty ones.
  std::size_t first_before(std::size_t sentence, std::size_t n) const;
  // Cells, then the label if labelled; with attributes, the label alone.
  const ColumnMemory& columns() const { return columns_; }
  AttributeRows attributes(std::size_t sentence) const;
  std::uint64_t serial() const { return serial_; }  // no other sentences of the program have it

 private:
  Sentences(std::size_t columns, bool attributes, bool labelled)
      : serial_(next_serial()), attributes_(attributes), labelled_(labelled), columns_(columns) {}
  static std::uint64_t next_serial();
  void end_name(std::size_t first, float value);

  std::uint64_t serial_;
  bool attributes_;
  bool labelled_;
  bool has_label_ = false;  // the token being built
  ColumnMemory columns_;
  std::vector<std::size_t> begin_{0};  // [tokens + 1], into attributes
  std::vector<Key> keys_;              // [attributes]
  std::vector<float> values_;
  std::vector<std::size_t> name_end_;  // into names_
  std::string names_;
};

}  // namespace hinge::tag
