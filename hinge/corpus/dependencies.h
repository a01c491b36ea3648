// Sentences with dependency trees, from CoNLL-U or CoNLL-X, which has the same
// ten columns: ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL PHEAD PDEPREL.
//
// Every sentence is checked: words are numbered 1, 2, 3, ..., there are at most
// kMaxWords, and if trees are requested, the heads of every word lead to the
// root, 0.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/columns.h"

namespace hinge {

// Limits the parser's tables, which grow with the square of the words.
inline constexpr std::size_t kMaxWords = 4000;

class DependencyReader {
 public:
  // annotated: every word must have a HEAD, and these must form a tree;
  // labelled: a DEPREL as well. Otherwise these cells may hold anything. The
  // root may have several dependents; callers that need just one check roots().
  DependencyReader(const TextInput& input, bool annotated, bool labelled = true);
  // The same ten columns in memory, which must outlive the reader.
  DependencyReader(const ColumnMemory& memory, std::string name, bool annotated, bool labelled = true);

  // Continues with another part of the text, or with other sentences in memory.
  void restart(std::string_view text, std::size_t first_line, const ColumnLayout& layout,
               std::string_view name = {}) {
    reader_.restart(text, first_line, layout, name);
  }
  void restart(std::size_t begin, std::size_t end) { reader_.restart(begin, end); }

  // False at the end. Sentences without words (comments only) are skipped
  // unless keep_empty. Throws InputError naming file and line.
  bool next(bool keep_empty = false);

  // Views are valid until the next read. Words count from 1; 0 is the root.
  const ColumnSentence& sentence() const { return sentence_; }
  std::size_t words() const { return sentence_.tokens(); }
  std::string_view cell(std::size_t word, ConlluColumn column) const {
    return sentence_.cell(word - 1, column);
  }
  std::string_view label(std::size_t word) const { return cell(word, kDeprel); }
  std::string where(std::size_t word) const;  // "file:line", or "name: sentence 3, token 5"
  const std::string& name() const { return reader_.name(); }
  std::size_t part() const { return reader_.part(); }  // of several texts: which the sentence is from

  // Only when annotated.
  std::span<const std::uint32_t> heads() const;  // [words + 1], heads()[0] == 0
  std::size_t roots() const;                     // words whose head is 0

 private:
  void check_numbers() const;
  void read_tree();
  std::uint32_t read_head(std::size_t word) const;
  void check_label(std::size_t word) const;
  void check_cycles();
  [[noreturn]] void fail_cycle(std::size_t word) const;

  ColumnReader reader_;
  bool annotated_;
  bool labelled_;
  ColumnSentence sentence_;
  std::vector<std::uint32_t> heads_;  // [words + 1]
  std::vector<std::uint32_t> paths_;  // [words + 1], the walk that visited the word first
  std::size_t roots_ = 0;
};

// Whether no two arcs cross, including those from the root at 0: every word and
// its descendants are contiguous. heads: [words + 1], a tree.
bool is_projective(std::span<const std::uint32_t> heads);

}  // namespace hinge
