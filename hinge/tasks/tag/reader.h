// Which cells of a file templates read, which one is the label.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/columns.h"
#include "hinge/features/extractor.h"

namespace hinge::tag {

// How a file is read; a model remembers it.
struct FileLayout {
  ColumnFormat format = ColumnFormat::kAuto;
  std::string label_column;          // "" = the last; a number; or a CoNLL-U name
  std::size_t observed_columns = 0;  // plain columns beside the label, once known
};

ColumnFormat parse_format(std::string_view name);
std::string_view format_name(ColumnFormat format);

// Sentences with labels kept apart.
class TagReader {
 public:
  // labelled: the label column must be there. Otherwise it may be missing, as
  // in new text, where `layout.observed_columns` tells the difference.
  TagReader(const std::string& path, FileLayout layout, bool labelled);

  bool next(bool keep_empty = false);

  const ColumnSentence& sentence() const { return sentence_; }
  Cells cells() const { return {sentence_.cells, sentence_.columns, columns_}; }
  bool has_labels() const { return has_labels_; }
  std::string_view label(std::size_t token) const { return sentence_.cell(token, label_); }
  std::size_t label_index() const { return label_; }
  std::string where(std::size_t token) const;  // "file:line"
  const FileLayout& layout() const { return layout_; }
  const std::string& name() const { return reader_.name(); }
  bool tabs() const { return reader_.tabs(); }

 private:
  void settle();  // after the first sentence

  ColumnReader reader_;
  FileLayout layout_;
  bool labelled_;
  bool settled_ = false;
  bool has_labels_ = false;
  std::size_t label_ = 0;
  std::vector<std::size_t> columns_;  // template column -> file column
  ColumnSentence sentence_;
};

}  // namespace hinge::tag
