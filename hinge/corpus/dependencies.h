// Sentences with dependency trees, from CoNLL-U or CoNLL-X, which has the same
// ten columns: ID FORM LEMMA CPOSTAG POSTAG FEATS HEAD DEPREL PHEAD PDEPREL.
//
// What comes out is checked: words are numbered 1, 2, 3, ..., a sentence has at
// most kMaxWords of them, and where trees are asked for, every word leads to
// the root, 0, by its heads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/columns.h"

namespace hinge {

// The most words of a sentence: parsing takes tables of the square of its words.
inline constexpr std::size_t kMaxWords = 4000;

class DependencyReader {
 public:
  // annotated: every word must have a HEAD, together forming a tree, and, where
  // labelled, a DEPREL; otherwise they may be "_" or anything. Several words
  // may hang from the root: callers for whom one is too many look at roots().
  DependencyReader(const TextInput& input, bool annotated, bool labelled = true);
  // The same ten columns in memory, which must outlive the reader.
  DependencyReader(const ColumnMemory& memory, std::string name, bool annotated, bool labelled = true);

  // Goes on with another part of the text, or with other sentences of the memory.
  void restart(std::string_view text, std::size_t first_line, const ColumnLayout& layout) {
    reader_.restart(text, first_line, layout);
  }
  void restart(std::size_t begin, std::size_t end) { reader_.restart(begin, end); }

  // False at the end. Sentences without words (comments only) are skipped
  // unless keep_empty. Throws InputError naming file and line.
  bool next(bool keep_empty = false);

  // All views live until the next read. Words count from 1; 0 is the root.
  const ColumnSentence& sentence() const { return sentence_; }
  std::size_t words() const { return sentence_.tokens(); }
  std::string_view cell(std::size_t word, ConlluColumn column) const {
    return sentence_.cell(word - 1, column);
  }
  std::string_view label(std::size_t word) const { return cell(word, kDeprel); }
  std::string where(std::size_t word) const;  // "file:line", or "name: sentence 3, token 5"
  const std::string& name() const { return reader_.name(); }

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
  std::vector<std::uint32_t> paths_;  // [words + 1], which search for the root came by first
  std::size_t roots_ = 0;
};

// Whether every word's descendants and itself are neighbours, so that no two
// arcs cross, those from the root at 0 included. heads: [words + 1], a tree.
bool is_projective(std::span<const std::uint32_t> heads);

}  // namespace hinge
