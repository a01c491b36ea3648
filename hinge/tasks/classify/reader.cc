#include "hinge/tasks/classify/reader.h"

#include <fmt/core.h>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"

namespace hinge::classify {
namespace {

// Whether a word after the first begins with the prefix.
bool has_later_word_with(std::string_view prefix, std::string_view text) {
  for (std::size_t at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
    if (at > 0 && is_space(text[at - 1])) return true;
  }
  return false;
}

}  // namespace

LineFormat parse_format(std::string_view name) {
  if (name == "fasttext") return LineFormat::kFastText;
  return name == "tab" ? LineFormat::kTab : LineFormat::kAuto;
}

std::string_view format_name(LineFormat format) {
  return format == LineFormat::kFastText ? "fasttext" : format == LineFormat::kTab ? "tab" : "auto";
}

TextReader::TextReader(const Source& source, const TextInput& part, TextFormat format, bool labelled)
    : name_(source.name()),
      memory_(memory_of<Texts>(source, "texts to classify")),
      format_(std::move(format)),
      labelled_(labelled) {
  if (format_.label_prefix.empty())
    fail<OptionError>("label_prefix is empty, but labels in fastText's format need one; use format=tab");
  if (memory_ == nullptr) {
    lines_.emplace(part);
    return;
  }
  if (labelled && !memory_->labelled())
    fail<InputError>("{}: has no labels, but they are needed here; give one for every text", name_);
  end_ = memory_->examples();
  if (format_.lines == LineFormat::kAuto) format_.lines = LineFormat::kFastText;
}

TextReader::TextReader(const Source& source, TextFormat format, bool labelled)
    : TextReader(source, source.memory == nullptr ? source.input() : TextInput(""), std::move(format),
                 labelled) {}

TextReader::TextReader(const Slice& slice, TextFormat format, bool labelled)
    : TextReader(*slice.source, slice.input(), std::move(format), labelled) {}

void TextReader::restart(std::size_t begin, std::size_t end) {
  next_ = begin;
  end_ = end;
}

std::string TextReader::where() const {
  return memory_ ? fmt::format("{}: text {}", name_, next_) : fmt::format("{}:{}", name(), lines_->number());
}

bool TextReader::next_in_memory() {
  if (next_ == end_) return false;
  label_ = memory_->label(next_);
  text_ = memory_->text(next_++);
  return true;
}

bool TextReader::next() {
  if (memory_ != nullptr) return next_in_memory();
  std::string_view line;
  if (!lines_->next(line)) return false;
  label_ = text_ = {};
  if (labelled_ && trim(line).empty())
    fail<InputError>("{}: is empty, but a label and a text were expected; remove the line", where());
  if (format_.lines == LineFormat::kAuto) settle(line);
  format_.lines == LineFormat::kFastText ? split_fasttext(line) : split_tab(line);
  return true;
}

void TextReader::settle(std::string_view line) {
  const bool tab = line.find('\t') != std::string_view::npos;
  if (trim(line).starts_with(format_.label_prefix) || !labelled_) {
    format_.lines = LineFormat::kFastText;
  } else if (tab) {
    format_.lines = LineFormat::kTab;
  } else {
    fail<InputError>(
        "{}: has no label; expected '{}NAME text', or the label and a tab before the text (-p format=tab); "
        "for another prefix give -p label_prefix=...",
        where(), format_.label_prefix);
  }
}

void TextReader::split_fasttext(std::string_view line) {
  const std::string& prefix = format_.label_prefix;
  const std::string_view text = trim(line);
  const bool has_label = text.starts_with(prefix);
  if (has_later_word_with(prefix, text))
    fail<InputError>("{}: {}; give one label per line, before the text", where(),
                     has_label ? "has two labels" : "has a label after other words");
  if (!has_label) {
    if (labelled_) fail<InputError>("{}: has no label; expected '{}NAME' before the text", where(), prefix);
    text_ = text;
    return;
  }
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  label_ = text.substr(prefix.size(), end - prefix.size());
  text_ = text.substr(end);
  if (label_.empty()) fail<InputError>("{}: the label is empty; write its name after '{}'", where(), prefix);
}

// Only the first tab separates; a line without one is text without a label.
void TextReader::split_tab(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos) {
    if (labelled_) fail<InputError>("{}: has no tab; expected the label, a tab and the text", where());
    text_ = line;
    return;
  }
  label_ = trim(line.substr(0, tab));
  text_ = line.substr(tab + 1);
  if (labelled_ && label_.empty())
    fail<InputError>("{}: the label before the tab is empty; write its name there", where());
}

}  // namespace hinge::classify
