// Sentences in columns: one token a line, an empty line after each sentence.
//
// Plain columns: cells separated by tabs, or by runs of spaces where the first
// line has no tab; every line has as many cells as the first. CoNLL-U: ten
// tab-separated cells; lines that are comments (#), multiword tokens (3-4) or
// empty nodes (5.1) are kept but are not tokens. Attributes: a label, then any
// number of cells behind tabs, which stay in the line: the label is the only
// column. CRLF is understood in all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/column_memory.h"
#include "hinge/corpus/text_source.h"

namespace hinge {

enum class ColumnFormat { kAuto, kColumns, kConllu, kAttributes };

// The columns of CoNLL-U in their order. Unscoped: they are indices of cells.
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

// Views into the reader's text; they live until the next read. From memory there
// are no lines.
struct ColumnSentence {
  static constexpr std::int32_t kNoToken = -1;

  std::vector<std::string_view> lines;      // as they stand in the file, without line ends
  std::vector<std::int32_t> token_of_line;  // [lines], kNoToken for comments and the like
  std::vector<std::string_view> cells;      // [tokens][columns]
  std::size_t columns = 0;
  std::size_t first_line = 0;  // line number of lines[0]; from memory, the number of the sentence from 0
  bool crlf = false;

  std::size_t tokens() const { return columns == 0 ? 0 : cells.size() / columns; }
  std::string_view cell(std::size_t token, std::size_t column) const {
    return cells[token * columns + column];
  }
  std::size_t line_number(std::size_t token) const;
  const char* line_end() const { return crlf ? "\r\n" : "\n"; }
};

// The lines of a sentence and the empty line behind it: as they came, but for
// those of tokens, which write_token(line, token) appends to `out`.
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

// How lines are split into cells. The first line of a text tells what is not
// known; a part of a text is read with the layout of the whole.
struct ColumnLayout {
  ColumnLayout(ColumnFormat known = ColumnFormat::kAuto) : format(known) {}  // NOLINT

  ColumnFormat format;
  std::size_t columns = 0;  // 0: the first line will tell
  bool tabs = false;        // cells are separated by tabs
};

// The layout of a text that begins so; not known yet if all its lines are blank.
// A name such as "a.conllu" tells the format.
ColumnLayout find_layout(std::string_view text, std::string_view name, ColumnFormat format);

inline ColumnLayout conllu_layout() { return find_layout("#\n", "", ColumnFormat::kConllu); }

// Text in blocks of lines that are not blank: sentences with their comments.
class BlockReader {
 public:
  BlockReader(std::string_view text, std::size_t first_line) : rest_(text), next_line_(first_line) {}

  // Without the blank line that ends it. False at the end.
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
  // What is in memory, which must outlive the reader, as if it were a file.
  ColumnReader(const ColumnMemory& memory, std::string name, ColumnFormat format);

  // Goes on with another part of a text that is in memory.
  void restart(std::string_view text, std::size_t first_line, const ColumnLayout& layout);
  // Goes on with sentences [begin, end) of the memory.
  void restart(std::size_t begin, std::size_t end);

  // False at the end. Sentences without tokens (comments only) are skipped
  // unless keep_empty, which a writer that must lose nothing wants.
  bool next(ColumnSentence& sentence, bool keep_empty = false);

  const std::string& name() const { return name_; }
  // "file:line", or "name: sentence 3, token 5".
  std::string where(const ColumnSentence& sentence, std::size_t token) const;
  ColumnFormat format() const { return layout_.format; }  // kAuto until the first sentence
  std::size_t columns() const { return layout_.columns; }
  bool tabs() const { return layout_.tabs; }

 private:
  bool next_in_memory(ColumnSentence& sentence, bool keep_empty);
  bool next_line(std::string_view& line);
  void add_line(std::string_view line, ColumnSentence& sentence);
  bool is_token(std::string_view line) const;
  void split(std::string_view line, ColumnSentence& sentence);
  [[noreturn]] void fail_columns(std::size_t found) const;

  std::optional<TextSource> source_;  // of text
  const ColumnMemory* memory_ = nullptr;
  std::size_t next_ = 0, end_ = 0;  // sentences in memory
  std::string name_;
  ColumnLayout layout_;
  std::string_view rest_;  // of the chunk
  std::size_t line_ = 0;   // number of the line read last
  bool crlf_ = false;
};

}  // namespace hinge
