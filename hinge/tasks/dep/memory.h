// Sentences to parse, in memory.
#pragma once

#include <string_view>

#include "hinge/corpus/dependencies.h"
#include "hinge/features/factor_keys.h"
#include "hinge/tasks/source.h"

namespace hinge::dep {

// Built word by word, with end_sentence() after the last. The builders throw
// InputError "sentence 3, token 5: ..." if a text is not UTF-8, a head is given
// but was not announced, or the reverse; do not use the object after that. As for
// files, reading checks that heads and labels make trees. Once built, any number
// of threads may read.
class Trees final : public MemoryData {
 public:
  // annotated: every word has a head; labelled: and a label.
  Trees(bool annotated, bool labelled)
      : annotated_(annotated), labelled_(labelled), columns_(kConlluColumns) {}

  // Empty cells become "_", as in files.
  void add_word(const WordCells& word);
  void add_word(const WordCells& word, std::size_t head, std::string_view label);
  void end_sentence();

  bool annotated() const { return annotated_; }
  bool labelled() const { return labelled_; }
  std::size_t sentences() const { return columns_.sentences(); }
  std::size_t examples() const override { return sentences(); }
  std::size_t words(std::size_t sentence) const { return columns_.tokens(sentence); }
  WordCells word(std::size_t sentence, std::size_t word) const;  // from 1
  const ColumnMemory& columns() const { return columns_; }       // of CoNLL-U

 private:
  void add(const WordCells& word, std::string_view head, std::string_view label);

  bool annotated_;
  bool labelled_;
  ColumnMemory columns_;
};

}  // namespace hinge::dep
