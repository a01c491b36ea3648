#include "hinge/corpus/columns.h"

#include <algorithm>
#include <cstring>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"

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

}  // namespace

int conllu_column(std::string_view name) {
  const auto* found = std::find(std::begin(kConlluNames), std::end(kConlluNames), name);
  return found == std::end(kConlluNames) ? -1 : static_cast<int>(found - kConlluNames);
}

std::size_t ColumnSentence::line_number(std::size_t token) const {
  const auto found = std::find(token_of_line.begin(), token_of_line.end(), static_cast<std::int32_t>(token));
  return first_line + static_cast<std::size_t>(found - token_of_line.begin());
}

ColumnReader::ColumnReader(const std::string& path, ColumnFormat format)
    : source_(path), name_(source_->name()), format_(format) {}

ColumnReader::ColumnReader(const ColumnMemory& memory, std::string name, ColumnFormat format)
    : memory_(&memory), name_(std::move(name)), format_(format), columns_(memory.columns()) {}

std::string ColumnReader::where(const ColumnSentence& sentence, std::size_t token) const {
  if (memory_ != nullptr)
    return fmt::format("{}: {}", name_, ColumnMemory::place(sentence.first_line, token));
  return fmt::format("{}:{}", name_, sentence.line_number(token));
}

bool ColumnReader::next_in_memory(ColumnSentence& sentence, bool keep_empty) {
  while (next_ < memory_->sentences()) {
    const std::size_t s = next_++;
    if (memory_->tokens(s) == 0 && !keep_empty) continue;
    sentence.columns = columns_;
    sentence.first_line = s;
    memory_->views(s, sentence.cells);
    return true;
  }
  return false;
}

bool ColumnReader::next_line(std::string_view& line) {
  if (rest_.empty()) {
    if (!source_->next(rest_)) return false;
    line_ = source_->first_line() - 1;
  }
  const auto* end = static_cast<const char*>(std::memchr(rest_.data(), '\n', rest_.size()));
  const std::size_t length = end == nullptr ? rest_.size() : static_cast<std::size_t>(end - rest_.data());
  line = rest_.substr(0, length);
  rest_.remove_prefix(std::min(length + 1, rest_.size()));
  ++line_;
  crlf_ = !line.empty() && line.back() == '\r';
  if (crlf_) line.remove_suffix(1);
  return true;
}

bool ColumnReader::next(ColumnSentence& sentence, bool keep_empty) {
  check_interrupt();
  sentence.lines.clear();
  sentence.token_of_line.clear();
  sentence.cells.clear();
  if (memory_ != nullptr) return next_in_memory(sentence, keep_empty);
  std::string_view line;
  // Chunks end at an empty line or with the text, so the views of a sentence
  // share one; the next is not read before they have been used.
  while (!(rest_.empty() && !sentence.lines.empty()) && next_line(line)) {
    if (!is_blank(line)) {
      add_line(line, sentence);
    } else if (!sentence.cells.empty() || (keep_empty && !sentence.lines.empty())) {
      return true;
    } else {
      sentence.lines.clear();
      sentence.token_of_line.clear();
    }
  }
  return !sentence.cells.empty() || (keep_empty && !sentence.lines.empty());
}

void ColumnReader::add_line(std::string_view line, ColumnSentence& sentence) {
  if (sentence.lines.empty()) {
    sentence.first_line = line_;
    sentence.crlf = crlf_;
  }
  if (columns_ == 0) learn_layout(line);
  sentence.columns = columns_;
  sentence.lines.push_back(line);
  if (!is_token(line)) {
    sentence.token_of_line.push_back(ColumnSentence::kNoToken);
    return;
  }
  sentence.token_of_line.push_back(static_cast<std::int32_t>(sentence.tokens()));
  split(line, sentence);
}

void ColumnReader::learn_layout(std::string_view line) {
  if (format_ == ColumnFormat::kAuto) {
    const bool named = name().ends_with(".conllu") || name().ends_with(".conllu.gz");
    format_ = named || looks_like_conllu(line) ? ColumnFormat::kConllu : ColumnFormat::kColumns;
  }
  if (format_ == ColumnFormat::kConllu) {
    tabs_ = true;
    columns_ = kConlluColumns;
    return;
  }
  if (format_ == ColumnFormat::kAttributes) {
    tabs_ = true;
    columns_ = 1;
    return;
  }
  tabs_ = line.find('\t') != std::string_view::npos;
  ColumnSentence probe;
  split(line, probe);
  columns_ = probe.cells.size();
}

// The first line that is no comment decides; a chunk of nothing but comments
// can only be CoNLL-U, since columns have none.
bool ColumnReader::looks_like_conllu(std::string_view line) const {
  std::string_view rest = rest_;
  while (line.starts_with('#') || is_blank(line)) {
    if (rest.empty()) return true;
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
  }
  return count_tabs(line) == kConlluColumns - 1 && starts_with_digit(line);
}

bool ColumnReader::is_token(std::string_view line) const {
  if (format_ != ColumnFormat::kConllu) return true;
  if (line[0] == '#') return false;
  const std::string_view id = line.substr(0, line.find('\t'));
  const std::size_t mark = id.find_first_of("-.");
  if (mark == std::string_view::npos) return true;
  if (is_number(id.substr(0, mark)) && is_number(id.substr(mark + 1))) return false;
  fail<InputError>(
      "{}:{}: the ID is '{}', but a word number, a range (3-4) or an empty node (5.1) was expected", name(),
      line_, id);
}

void ColumnReader::split(std::string_view line, ColumnSentence& sentence) {
  const std::size_t before = sentence.cells.size();
  if (format_ == ColumnFormat::kAttributes) {
    sentence.cells.push_back(line.substr(0, line.find('\t')));
  } else if (tabs_) {
    for (std::size_t begin = 0;;) {
      const std::size_t end = line.find('\t', begin);
      sentence.cells.push_back(line.substr(begin, end - begin));
      if (end == std::string_view::npos) break;
      begin = end + 1;
    }
  } else {
    for (std::size_t begin = line.find_first_not_of(' '); begin != std::string_view::npos;) {
      const std::size_t end = line.find_first_of(" \t", begin);
      sentence.cells.push_back(line.substr(begin, end - begin));
      begin = line.find_first_not_of(" \t", std::min(end, line.size()));
    }
  }
  const std::size_t found = sentence.cells.size() - before;
  if (columns_ != 0 && found != columns_) fail_columns(found);
}

void ColumnReader::fail_columns(std::size_t found) const {
  const std::string count = fmt::format("{} column{}", found, found == 1 ? "" : "s");
  if (format_ == ColumnFormat::kConllu) {
    fail<InputError>(
        "{}:{}: has {}, but {} separated by tabs were expected (CoNLL-U, CoNLL-X); check the separators, "
        "and that a cell without value holds _",
        name(), line_, count, kConlluColumns);
  }
  fail<InputError>(
      "{}:{}: has {} but the lines before it have {}; check the separators, or that an empty line ends each "
      "sentence",
      name(), line_, count, columns_);
}

}  // namespace hinge
