#include "hinge/tasks/tag/reader.h"

#include <algorithm>
#include <charconv>

#include "hinge/core/error.h"
#include "hinge/corpus/scan.h"

namespace hinge::tag {
namespace {

// The CoNLL-U columns that templates see: form, lemma, upos, xpos, feats are their
// columns 0 to 4.
constexpr std::size_t kConlluObserved[] = {1, 2, 3, 4, 5};

std::size_t parse_column(const std::string& text, std::size_t columns, const std::string& name) {
  std::size_t column = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), column);
  if (error != std::errc() || end != text.data() + text.size() || column >= columns) {
    fail<OptionError>("column is '{}', but {} has columns 0 to {}; give one of them as the label", text, name,
                      columns - 1);
  }
  return column;
}

ColumnReader open_columns(const Source& source, const TextInput& input, const ColumnLayout& columns,
                          const Sentences* memory) {
  if (memory == nullptr) return ColumnReader(input, columns);
  return ColumnReader(memory->columns(), source.name(), ColumnFormat::kColumns);
}

}  // namespace

ColumnFormat parse_format(std::string_view name) {
  if (name == "columns") return ColumnFormat::kColumns;
  if (name == "commented") return ColumnFormat::kCommented;
  if (name == "attributes") return ColumnFormat::kAttributes;
  return name == "conllu" ? ColumnFormat::kConllu : ColumnFormat::kAuto;
}

std::string_view format_name(ColumnFormat format) {
  switch (format) {
    case ColumnFormat::kColumns:
      return "columns";
    case ColumnFormat::kCommented:
      return "commented";
    case ColumnFormat::kConllu:
      return "conllu";
    case ColumnFormat::kAttributes:
      return "attributes";
    default:
      return "auto";
  }
}

TagReader::TagReader(const Source& source, const TextInput& part, const ColumnLayout& columns,
                     FileLayout layout, bool labelled)
    : memory_(memory_of<Sentences>(source, "sentences to tag")),
      reader_(open_columns(source, part, columns, memory_.get())),
      layout_(std::move(layout)),
      labelled_(labelled) {
  if (memory_ != nullptr) settle_memory();
}

TagReader::TagReader(const Source& source, FileLayout layout, bool labelled)
    : TagReader(source, source.input(), layout.format, layout, labelled) {}

TagReader::TagReader(const Slice& slice, FileLayout layout, bool labelled)
    : TagReader(*slice.source, slice.input(), slice.layout, std::move(layout), labelled) {}

bool TagReader::next(bool keep_empty) {
  if (!reader_.next(sentence_, keep_empty)) return false;
  if (!settled_ && sentence_.columns > 0) settle();  // not after comments alone
  if (memory_ == nullptr && has_attributes()) read_attributes();
  return true;
}

std::string_view TagReader::text(std::size_t token) const {
  if (!has_attributes()) return cells().at(token, 0);
  return sentence_.lines[token].substr(label(token).size());
}

// Only a colon and a backslash can be escaped: any other backslash stays.
void TagReader::read_attribute(std::string_view field, std::size_t token) {
  name_.clear();
  std::size_t at = 0;
  for (; at < field.size() && field[at] != ':'; ++at) {
    const bool escape =
        field[at] == '\\' && at + 1 < field.size() && (field[at + 1] == ':' || field[at + 1] == '\\');
    name_ += field[at += escape];
  }
  if (name_.empty())
    fail<InputError>("{}: has an attribute without a name; separate attributes by one tab", where(token));
  float value = 1.0f;
  if (at < field.size() && !parse_float(field.substr(at + 1), value))
    fail<InputError>(
        "{}: the value of attribute '{}' is '{}', but {} was expected; write \\: for a colon in a name",
        where(token), shown(name_), shown(field.substr(at + 1)), kFloatExpected);
  line_attributes_.add_attribute(name_, value);
}

void TagReader::read_attributes() {
  line_attributes_.clear();
  for (std::size_t t = 0; t < sentence_.tokens(); ++t) {
    if (labelled_ && label(t).empty())
      fail<InputError>("{}: has no label before the first tab; give one", where(t));
    std::string_view rest = text(t);
    while (!rest.empty()) {
      rest.remove_prefix(1);  // the tab
      const std::size_t end = std::min(rest.find('\t'), rest.size());
      read_attribute(rest.substr(0, end), t);
      rest.remove_prefix(end);
    }
    line_attributes_.end_token();
  }
  line_attributes_.end_sentence();
}

void TagReader::settle_memory() {
  settled_ = true;
  has_labels_ = memory_->labelled();
  if (labelled_ && !has_labels_)
    fail<InputError>("{}: has no labels, but they are needed here; give one for every token", name());
  const bool attributes = memory_->has_attributes();
  if (attributes ? !(layout_.format == ColumnFormat::kAttributes || layout_.format == ColumnFormat::kAuto)
                 : layout_.format == ColumnFormat::kAttributes) {
    fail<InputError>("{}: has {}, but {} were expected, as in the training data", name(),
                     attributes ? "attributes" : "cells", attributes ? "cells" : "attributes");
  }
  if (attributes) {
    layout_ = {.format = ColumnFormat::kAttributes, .label_column = {}, .observed_columns = 0};
    return;
  }
  const std::size_t columns = memory_->observed_columns();
  // A CoNLL-U model could read five cells, but its templates may need fewer.
  if (layout_.format != ColumnFormat::kConllu && layout_.observed_columns > 0 &&
      layout_.observed_columns != columns) {
    fail<InputError>("{}: has {} cell{} per token, but {} were expected, as in the training data", name(),
                     columns, columns == 1 ? "" : "s", layout_.observed_columns);
  }
  layout_ = {.format = ColumnFormat::kColumns, .label_column = {}, .observed_columns = columns};
  label_ = columns;
  for (std::size_t c = 0; c < columns; ++c) columns_.push_back(c);
}

void TagReader::settle() {
  settled_ = true;
  layout_.format = reader_.format();
  if (has_attributes()) {
    has_labels_ = true;
    return;
  }
  if (reader_.format() == ColumnFormat::kConllu) {
    if (layout_.label_column.empty()) layout_.label_column = "upos";
    const int column = conllu_column(layout_.label_column);
    if (column < 0) {
      fail<OptionError>(
          "column is '{}', but {} is CoNLL-U; give upos, xpos, feats, deprel or another of its columns",
          layout_.label_column, name());
    }
    label_ = static_cast<std::size_t>(column);
    has_labels_ = true;
    columns_.assign(std::begin(kConlluObserved), std::end(kConlluObserved));
    layout_.observed_columns = columns_.size();
    return;
  }
  const std::size_t columns = reader_.columns();
  const bool known = layout_.observed_columns > 0;
  has_labels_ = labelled_ || !known || columns > layout_.observed_columns;
  if (!known) layout_.observed_columns = columns - 1;
  if (columns != layout_.observed_columns + has_labels_ || columns < 1u + has_labels_) {
    fail<InputError>(
        "{}: has {} columns, but {} were expected{}; check that it is in the format of the training data",
        where(0), columns, known ? layout_.observed_columns + labelled_ : 2,
        labelled_ ? ", the label included"
                  : fmt::format(" (or {} with the label)", layout_.observed_columns + 1));
  }
  label_ = columns - 1;
  if (has_labels_ && !layout_.label_column.empty())
    label_ = parse_column(layout_.label_column, columns, name());
  for (std::size_t c = 0; c < columns; ++c) {
    if (!has_labels_ || c != label_) columns_.push_back(c);
  }
}

}  // namespace hinge::tag
