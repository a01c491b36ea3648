#include "hinge/corpus/columns.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

constexpr std::string_view kConlluNames[kConlluColumns] = {"id",    "form", "lemma",  "upos", "xpos",
                                                           "feats", "head", "deprel", "deps", "misc"};

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }

bool starts_with_digit(std::string_view text) { return !text.empty() && text[0] >= '0' && text[0] <= '9'; }

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::size_t count_tabs(std::string_view line) {
  return static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t'));
}

// Removes the first line from `rest` and returns it.
std::string_view take_line(std::string_view& rest, bool& crlf) {
  const auto* end = static_cast<const char*>(std::memchr(rest.data(), '\n', rest.size()));
  const std::size_t length = end == nullptr ? rest.size() : static_cast<std::size_t>(end - rest.data());
  std::string_view line = rest.substr(0, length);
  rest.remove_prefix(std::min(length + 1, rest.size()));
  crlf = line.ends_with('\r');
  if (crlf) line.remove_suffix(1);
  return line;
}

std::string_view take_line(std::string_view& rest) {
  bool ignored;
  return take_line(rest, ignored);
}

void split_at_tabs(std::string_view line, std::vector<std::string_view>& cells) {
  for (std::size_t begin = 0;;) {
    const std::size_t end = line.find('\t', begin);
    cells.push_back(line.substr(begin, end - begin));
    if (end == std::string_view::npos) break;
    begin = end + 1;
  }
}

void split_at_spaces(std::string_view line, std::vector<std::string_view>& cells) {
  for (std::size_t begin = line.find_first_not_of(' '); begin != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(" \t", begin);
    cells.push_back(line.substr(begin, end - begin));
    begin = line.find_first_not_of(" \t", std::min(end, line.size()));
  }
}

// In plain columns; CoNLL-U has other lines without a token, too.
bool is_comment(std::string_view line, ColumnFormat format) {
  return format == ColumnFormat::kCommented && line.starts_with('#');
}

// The first line that is not a comment decides. Only CoNLL-U has comments, so a
// chunk of nothing else is CoNLL-U.
bool looks_like_conllu(std::string_view line, std::string_view rest) {
  while (line.starts_with('#') || is_blank(line)) {
    if (rest.empty()) return true;
    line = take_line(rest);
  }
  return count_tabs(line) == kConlluColumns - 1 && starts_with_digit(line);
}

// `rest`: the text after the line.
ColumnLayout layout_of(std::string_view line, std::string_view rest, std::string_view name,
                       ColumnLayout layout) {
  if (layout.format == ColumnFormat::kAuto) {
    const bool named = name.ends_with(".conllu") || name.ends_with(".conllu.gz");
    layout.format = named || looks_like_conllu(line, rest) ? ColumnFormat::kConllu : ColumnFormat::kColumns;
  }
  if (layout.format == ColumnFormat::kConllu || layout.format == ColumnFormat::kAttributes) {
    layout.tabs = true;
    layout.columns = layout.format == ColumnFormat::kConllu ? kConlluColumns : 1;
    return layout;
  }
  layout.tabs = line.find('\t') != std::string_view::npos;
  std::vector<std::string_view> cells;
  layout.tabs ? split_at_tabs(line, cells) : split_at_spaces(line, cells);
  layout.columns = cells.size();
  return layout;
}

}  // namespace

int conllu_column(std::string_view name) {
  const auto* found = std::find(std::begin(kConlluNames), std::end(kConlluNames), name);
  return found == std::end(kConlluNames) ? -1 : static_cast<int>(found - kConlluNames);
}

std::size_t ColumnSentence::line_number(std::size_t token) const {
  const auto found = std::find(token_of_line.begin(), token_of_line.end(), static_cast<std::int32_t>(token));
  return first_line + static_cast<std::size_t>(found - token_of_line.begin());
}

ColumnLayout find_layout(std::string_view text, std::string_view name, ColumnFormat format) {
  std::string_view line;
  do {
    if (text.empty()) return format;
    line = take_line(text);
  } while (is_blank(line) || is_comment(line, format));
  return layout_of(line, text, name, format);
}

bool BlockReader::next(std::string_view& block) {
  const char* begin = nullptr;
  while (!rest_.empty()) {
    const char* line_begin = rest_.data();
    const bool blank = is_blank(take_line(rest_));
    ++next_line_;
    if (blank && begin == nullptr) continue;
    if (blank) {
      block = {begin, static_cast<std::size_t>(line_begin - begin)};
      return true;
    }
    if (begin == nullptr) {
      begin = line_begin;
      first_line_ = next_line_ - 1;
    }
  }
  if (begin != nullptr) block = {begin, static_cast<std::size_t>(rest_.data() - begin)};
  return begin != nullptr;
}

ColumnReader::ColumnReader(const TextInput& input, ColumnLayout layout)
    : source_(input), name_(source_->name()), layout_(layout) {}

ColumnReader::ColumnReader(const ColumnMemory& memory, std::string name, ColumnFormat format)
    : memory_(&memory), end_(memory.sentences()), name_(std::move(name)), layout_(format) {
  layout_.columns = memory.columns();
}

void ColumnReader::restart(std::string_view text, std::size_t first_line, const ColumnLayout& layout,
                           std::string_view name) {
  source_->restart(text, first_line, name);
  if (name_ != source_->name()) name_ = source_->name();
  layout_ = layout;
  rest_ = {};
}

void ColumnReader::restart(std::size_t begin, std::size_t end) {
  assert(memory_ != nullptr && end <= memory_->sentences());
  next_ = begin;
  end_ = end;
}

std::string ColumnReader::where(const ColumnSentence& sentence, std::size_t token) const {
  if (memory_ != nullptr)
    return fmt::format("{}: {}", name_, ColumnMemory::place(sentence.first_line, token));
  return fmt::format("{}:{}", name_, sentence.line_number(token));
}

bool ColumnReader::next_in_memory(ColumnSentence& sentence, bool keep_empty) {
  while (next_ < end_) {
    const std::size_t s = next_++;
    if (memory_->tokens(s) == 0 && !keep_empty) continue;
    sentence.columns = layout_.columns;
    sentence.first_line = s;
    memory_->views(s, sentence.cells);
    return true;
  }
  return false;
}

bool ColumnReader::next_line(std::string_view& line) {
  if (rest_.empty()) {
    if (!source_->next(rest_)) return false;
    name_ = source_->name();
    line_ = source_->first_line() - 1;
  }
  line = take_line(rest_, crlf_);
  ++line_;
  return true;
}

bool ColumnReader::next(ColumnSentence& sentence, bool keep_empty) {
  check_interrupt();
  sentence.lines.clear();
  sentence.token_of_line.clear();
  sentence.cells.clear();
  if (memory_ != nullptr) return next_in_memory(sentence, keep_empty);
  std::string_view line;
  // Chunks end at an empty line or with the text, so all views of a sentence are
  // into one chunk. The next chunk is read only by the next call, unless this one had only comments.
  while (true) {
    bool ends = rest_.empty() && !sentence.lines.empty();
    if (!ends) {
      if (!next_line(line)) return false;
      ends = is_blank(line);
    }
    if (!ends) {
      add_line(line, sentence);
    } else if (!sentence.cells.empty() || (keep_empty && !sentence.lines.empty())) {
      return true;
    } else {
      sentence.lines.clear();
      sentence.token_of_line.clear();
    }
  }
}

void ColumnReader::add_line(std::string_view line, ColumnSentence& sentence) {
  if (sentence.lines.empty()) {
    sentence.first_line = line_;
    sentence.crlf = crlf_;
  }
  if (layout_.columns == 0 && !is_comment(line, format())) layout_ = layout_of(line, rest_, name_, layout_.format);
  sentence.columns = layout_.columns;
  sentence.lines.push_back(line);
  if (!is_token(line)) {
    sentence.token_of_line.push_back(ColumnSentence::kNoToken);
    return;
  }
  sentence.token_of_line.push_back(static_cast<std::int32_t>(sentence.tokens()));
  split(line, sentence);
}

bool ColumnReader::is_token(std::string_view line) const {
  if (format() != ColumnFormat::kConllu) return !is_comment(line, format());
  if (line[0] == '#') return false;
  const std::string_view id = line.substr(0, line.find('\t'));
  const std::size_t mark = id.find_first_of("-.");
  if (mark == std::string_view::npos) return true;
  if (is_number(id.substr(0, mark)) && is_number(id.substr(mark + 1))) return false;
  fail<InputError>(
      "{}:{}: the ID is '{}', but a word number, a range (3-4) or an empty node (5.1) was expected", name(),
      line_, shown(id));
}

void ColumnReader::split(std::string_view line, ColumnSentence& sentence) {
  const std::size_t before = sentence.cells.size();
  if (format() == ColumnFormat::kAttributes) {
    sentence.cells.push_back(line.substr(0, line.find('\t')));
  } else if (tabs()) {
    split_at_tabs(line, sentence.cells);
  } else {
    split_at_spaces(line, sentence.cells);
  }
  const std::size_t found = sentence.cells.size() - before;
  if (found != columns()) fail_columns(found, line);
}

void ColumnReader::fail_columns(std::size_t found, std::string_view line) const {
  const std::string count = fmt::format("{} column{}", found, found == 1 ? "" : "s");
  if (format() == ColumnFormat::kConllu) {
    fail<InputError>(
        "{}:{}: has {}, but {} separated by tabs were expected (CoNLL-U, CoNLL-X); check the separators, "
        "and that empty cells hold _",
        name(), line_, count, kConlluColumns);
  }
  fail<InputError>(
      "{}:{}: has {} but the lines before it have {}; check the separators, or that an empty line ends each "
      "sentence{}",
      name(), line_, count, columns(),
      line.starts_with('#') ? "; if lines that begin with # are comments, train with -p format=commented" : "");
}

}  // namespace hinge
