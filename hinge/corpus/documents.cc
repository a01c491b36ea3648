#include "hinge/corpus/documents.h"

#include <algorithm>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/corpus/columns.h"
#include "hinge/corpus/document_brackets.h"
#include "hinge/corpus/scan.h"

namespace hinge {
namespace {

std::string_view without_end(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_blank(std::string_view line) { return trim(without_end(line)).empty(); }

}  // namespace

std::string Document::where(std::size_t token) const {
  return fmt::format("{}:{}", source, tokens[token].line);
}

DocumentSplitter::DocumentSplitter(const TextInput& input, DocumentFormat format)
    : source_(input, ChunkEnd::kLine), format_(format), line_(input.first_line) {}

// The next line with its end; false at the end of the file, or if it is late.
bool DocumentSplitter::peek(std::string_view& line) {
  late_ = rest_.empty() && !waits_ && !source_.ready();
  if (late_ || file_ended_ || (rest_.empty() && !source_.next(rest_))) return false;
  file_ended_ = source_.part() != part_;
  if (file_ended_) return false;
  line = rest_.substr(0, first_line_end(rest_));
  return true;
}

// Moves the line that was peeked at.
void DocumentSplitter::take(std::string_view line, std::string& to) {
  to += line;
  rest_.remove_prefix(line.size());
  ++line_;
  if (to.size() > kMostBlockBytes) {
    fail<InputError>("{}:{}: the document does not end within {} MB; divide it", name(), line_ - 1,
                     kMostBlockBytes >> 20);
  }
}

// The first line that is neither blank nor a comment decides.
void DocumentSplitter::find_format() {
  std::string_view line;
  while (format_ == DocumentFormat::kAuto && peek(line)) {
    const std::string_view bare = without_end(line);
    const auto tabs = static_cast<std::size_t>(std::count(bare.begin(), bare.end(), '\t'));
    if (begins_document(bare)) {
      format_ = DocumentFormat::kConll2012;
    } else if (new_document(bare) || comment_value(bare, kEntityComment) || tabs + 1 == kConlluColumns) {
      format_ = DocumentFormat::kConllu;
    } else if (is_blank(bare) || bare.starts_with('#')) {
      take(line, ahead_);
    } else {
      fail<InputError>(
          "{}:{}: is neither '#begin document (name); part 000' of CoNLL-2012 nor CoNLL-U, which has {} "
          "columns separated by tabs; convert the file to one of them",
          name(), line_, kConlluColumns);
    }
  }
}

bool DocumentSplitter::next(DocumentText& document) {
  waits_ = true;
  return take_document(document);
}

bool DocumentSplitter::next_arrived(DocumentText& document) {
  waits_ = false;
  return take_document(document);
}

bool DocumentSplitter::take_document(DocumentText& document) {
  check_interrupt();
  late_ = false;
  if (!open_) {
    if (file_ended_) begin_file();
    find_format();
    if (late_) return false;
    begin_document();
  }
  if (format_ == DocumentFormat::kConll2012) {
    take_conll2012(document_.text);
  } else {
    take_conllu(document_.text);
  }
  if (late_) return false;
  open_ = false;
  document = std::move(document_);
  if (document.text.empty() && file_ended_) return take_document(document);
  return !document.text.empty();
}

void DocumentSplitter::begin_file() {
  file_ended_ = false;
  part_ = source_.part();
  line_ = source_.first_line();
  number_ = 0;
}

void DocumentSplitter::begin_document() {
  document_ = {.text = std::exchange(ahead_, {}),
               .source = name(),
               .number = ++number_,
               .format = format_,
               .entity_fields = entity_fields_};
  document_.first_line = line_ - count_lines(document_.text);
  open_ = true;
  begun_ = in_middle_ = false;
  block_ = 0;
}

void DocumentSplitter::take_conll2012(std::string& text) {
  std::string_view line;
  while (peek(line)) {
    const std::string_view bare = without_end(line);
    if (begins_document(bare) && std::exchange(begun_, true)) return;  // its end is missing
    const bool ends = ends_document(bare);
    take(line, text);
    if (ends) return;
  }
}

// A document begins with the block of lines that has its "# newdoc".
void DocumentSplitter::take_conllu(std::string& text) {
  std::string_view line;
  while (peek(line)) {
    const std::string_view bare = without_end(line);
    if (new_document(bare) && begun_) {
      if (in_middle_) block_ = text.size();
      ahead_ = text.substr(block_);
      text.resize(block_);
      return;
    }
    if (const auto fields = comment_value(bare, kEntityComment)) entity_fields_ = *fields;
    if (is_blank(bare)) {
      block_ = text.size() + line.size();
      in_middle_ = false;
    } else if (!bare.starts_with('#') || new_document(bare)) {
      begun_ = in_middle_ = true;
    }
    take(line, text);
  }
}

bool DocumentReader::next(Document& document, bool keep_empty) {
  DocumentText text;
  while (splitter_.next(text)) {
    document = parse_document(std::move(text));
    if (keep_empty || !document.tokens.empty()) return true;
  }
  return false;
}

}  // namespace hinge
