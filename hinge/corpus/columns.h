// Sentences in columns: one token per line, an empty line after each sentence.
//
// Plain columns: cells separated by tabs, or by runs of spaces if the first
// line has no tab; every line has as many cells as the first. CoNLL-U: ten
// tab-separated cells; comments (#), multiword tokens (3-4) and empty nodes
// (5.1) are kept as lines but are not tokens. Attributes: a label, then any
// number of tab-separated attributes. The label is the only column; attributes
// are found in `lines`. All formats accept CRLF.
//
// Lines: every line is an example by itself, split by its task, not by this reader.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/column_memory.h"
#include "hinge/corpus/text_source.h"

namespace hinge {

// kCommented: columns with comments, lines that begin with #.
enum class ColumnFormat { kAuto, kColumns, kCommented, kConllu, kAttributes, kLines };

// The columns of CoNLL-U in order. Unscoped, to serve as cell indices.
enum ConlluColumn : std::size_t {
  kId,
  kForm,
  kLemma,
  kUpos,
  kXpos,
  kFeats,
  kHead,
  kDeprel,
  kDeps,
  kMisc,
};
inline constexpr std::size_t kConlluColumns = 10;

// Index of a CoNLL-U column by its name in lower case ("upos"), or -1.
int conllu_column(std::string_view name);

// Views into the reader's text, valid until the next read. Sentences read from
// memory have no lines.
struct ColumnSentence {
  static constexpr std::int32_t kNoToken = -1;

  std::vector<std::string_view> lines;      // as in the file, without line ends
  std::vector<std::int32_t> token_of_line;  // [lines], kNoToken for comments and the like
  std::vector<std::string_view> cells;      // [tokens][columns]
  std::size_t columns = 0;
  std::size_t first_line = 0;  // line number of lines[0]; from memory: index of the sentence
  bool crlf = false;

  std::size_t tokens() const { return columns == 0 ? 0 : cells.size() / columns; }
  std::string_view cell(std::size_t token, std::size_t column) const {
    return cells[token * columns + column];
  }
  std::size_t line_number(std::size_t token) const;
  const char* line_end() const { return crlf ? "\r\n" : "\n"; }
};

// Appends the lines of a sentence and the empty line after it. Token lines are
// appended to `out` by write_token(line, token), the others unchanged.
template <typename WriteToken>
void write_lines(const ColumnSentence& sentence, std::string& out, const WriteToken& write_token) {
  for (std::size_t k = 0; k < sentence.lines.size(); ++k) {
    const std::int32_t token = sentence.token_of_line[k];
    if (token == ColumnSentence::kNoToken) {
      out += sentence.lines[k];
    } else {
      write_token(sentence.lines[k], static_cast<std::size_t>(token));
    }
    out += sentence.line_end();
  }
  out += sentence.line_end();
}

// How lines are split into cells. What is not known is found from the first
// line of a text. Parts of a text are read with the layout of the whole.
struct ColumnLayout {
  ColumnLayout(ColumnFormat known = ColumnFormat::kAuto) : format(known) {}  // NOLINT

  ColumnFormat format;
  std::size_t columns = 0;  // 0: to be found from the first line
  bool tabs = false;        // cells are separated by tabs
};

// The layout of a text that begins with `text`; unknown (0 columns) if all lines
// of it are blank. A name such as "a.conllu" decides the format.
ColumnLayout find_layout(std::string_view text, std::string_view name, ColumnFormat format);

inline ColumnLayout conllu_layout() { return find_layout("#\n", "", ColumnFormat::kConllu); }

// Splits text into blocks at blank lines: sentences with their comments.
class BlockReader {
 public:
  BlockReader(std::string_view text, std::size_t first_line) : rest_(text), next_line_(first_line) {}

  // The next block, without the blank line after it. False at the end.
  bool next(std::string_view& block);
  std::size_t first_line() const { return first_line_; }  // of the block

 private:
  std::string_view rest_;
  std::size_t next_line_;
  std::size_t first_line_ = 0;
};

class ColumnReader {
 public:
  ColumnReader(const TextInput& input, ColumnLayout layout);
  // Reads sentences from memory, which must outlive the reader.
  ColumnReader(const ColumnMemory& memory, std::string name, ColumnFormat format);

  // Continues with another part of a text in memory. No name: the same file.
  void restart(std::string_view text, std::size_t first_line, const ColumnLayout& layout,
               std::string_view name = {});
  // Continues with sentences [begin, end) of the ColumnMemory.
  void restart(std::size_t begin, std::size_t end);

  // False at the end. Sentences without tokens (comments only) are skipped
  // unless keep_empty, which is for writers that must lose nothing.
  bool next(ColumnSentence& sentence, bool keep_empty = false);

  const std::string& name() const { return name_; }  // of the file of the last sentence
  std::size_t part() const { return source_ ? source_->part() : 0; }  // which of several texts it is from
  // "file:line", or "name: sentence 3, token 5".
  std::string where(const ColumnSentence& sentence, std::size_t token) const;
  ColumnFormat format() const { return layout_.format; }  // kAuto until the first sentence
  std::size_t columns() const { return layout_.columns; }
  bool tabs() const { return layout_.tabs; }
  const ColumnLayout& layout() const { return layout_; }  // to read other parts of the text with

 private:
  bool next_in_memory(ColumnSentence& sentence, bool keep_empty);
  bool next_line(std::string_view& line);
  void add_line(std::string_view line, ColumnSentence& sentence);
  bool is_token(std::string_view line) const;
  void split(std::string_view line, ColumnSentence& sentence);
  [[noreturn]] void fail_columns(std::size_t found, std::string_view line) const;

  std::optional<TextSource> source_;  // unset when reading from memory_
  const ColumnMemory* memory_ = nullptr;
  std::size_t next_ = 0, end_ = 0;  // sentences in memory
  std::string name_;
  ColumnLayout layout_;
  std::string_view rest_;  // unread part of the chunk
  std::size_t line_ = 0;   // number of the last line read
  bool crlf_ = false;
};

}  // namespace hinge
