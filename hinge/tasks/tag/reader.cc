#include "hinge/tasks/tag/reader.h"

#include <charconv>

#include "hinge/core/error.h"

namespace hinge::tag {
namespace {

// What templates see of a CoNLL-U file: form, lemma, upos, xpos, feats as
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

}  // namespace

ColumnFormat parse_format(std::string_view name) {
  if (name == "columns") return ColumnFormat::kColumns;
  return name == "conllu" ? ColumnFormat::kConllu : ColumnFormat::kAuto;
}

std::string_view format_name(ColumnFormat format) {
  switch (format) {
    case ColumnFormat::kColumns:
      return "columns";
    case ColumnFormat::kConllu:
      return "conllu";
    default:
      return "auto";
  }
}

TagReader::TagReader(const std::string& path, FileLayout layout, bool labelled)
    : reader_(path, layout.format), layout_(std::move(layout)), labelled_(labelled) {}

bool TagReader::next(bool keep_empty) {
  if (!reader_.next(sentence_, keep_empty)) return false;
  if (!settled_) settle();
  return true;
}

std::string TagReader::where(std::size_t token) const {
  return fmt::format("{}:{}", reader_.name(), sentence_.line_number(token));
}

void TagReader::settle() {
  settled_ = true;
  layout_.format = reader_.format();
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
        "{}:{}: has {} columns, but {} were expected{}; check that it is in the format of the training data",
        name(), sentence_.first_line, columns, known ? layout_.observed_columns + labelled_ : 2,
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
