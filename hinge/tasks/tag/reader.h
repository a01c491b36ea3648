// Which cells of a file or memory templates read, and which one is the label.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hinge/corpus/columns.h"
#include "hinge/features/extractor.h"
#include "hinge/tasks/slices.h"
#include "hinge/tasks/tag/memory.h"

namespace hinge::tag {

// How a file is read; stored in the model.
struct FileLayout {
  ColumnFormat format = ColumnFormat::kAuto;
  std::string label_column;          // "" = the last; a number; or a CoNLL-U name
  std::size_t observed_columns = 0;  // plain columns other than the label; 0: not known yet
};

ColumnFormat parse_format(std::string_view name);
std::string_view format_name(ColumnFormat format);

// Reads sentences, with labels separate from cells.
class TagReader {
 public:
  // labelled: labels are required. Otherwise they may be missing, as in new text;
  // `layout.observed_columns` tells whether they are. Data in memory knows its own
  // layout.
  TagReader(const Source& source, FileLayout layout, bool labelled);

  // The same for a part of the source's text; `columns` are those of the whole text.
  TagReader(const Source& source, const TextInput& part, const ColumnLayout& columns, FileLayout layout,
            bool labelled);

  // The same for one slice; other slices are read after restart().
  TagReader(const Slice& slice, FileLayout layout, bool labelled);
  void restart(std::string_view text, std::size_t first_line, const ColumnLayout& layout,
               std::string_view name = {}) {
    reader_.restart(text, first_line, layout, name);
  }
  void restart(std::size_t begin, std::size_t end) { reader_.restart(begin, end); }

  bool next(bool keep_empty = false);

  const ColumnSentence& sentence() const { return sentence_; }
  Cells cells() const { return {sentence_.cells, sentence_.columns, columns_}; }
  bool has_attributes() const { return layout_.format == ColumnFormat::kAttributes; }
  AttributeRows attributes() const {
    return memory_ ? memory_->attributes(sentence_.first_line) : line_attributes_.attributes(0);
  }
  bool has_labels() const { return has_labels_; }
  std::string_view label(std::size_t token) const { return sentence_.cell(token, label_); }
  std::size_t label_index() const { return label_; }
  // Identifies the token when comparing files: its first cell, or all attributes.
  std::string_view text(std::size_t token) const;
  // The word of the token: FORM, or its first cell.
  std::string_view word(std::size_t token) const {
    return sentence_.cell(token, layout_.format == ColumnFormat::kConllu ? std::size_t{kForm} : 0);
  }
  std::string where(std::size_t token) const { return reader_.where(sentence_, token); }
  const FileLayout& layout() const { return layout_; }
  const std::string& name() const { return reader_.name(); }
  bool tabs() const { return reader_.tabs(); }
  const ColumnLayout& columns() const { return reader_.layout(); }
  std::size_t part() const { return reader_.part(); }  // of several texts: which the sentence is from

 private:
  void settle();  // after the first sentence
  void settle_memory();
  void read_attributes();
  void read_attribute(std::string_view field, std::size_t token);

  std::shared_ptr<const Sentences> memory_;  // null: a file
  ColumnReader reader_;
  FileLayout layout_;
  bool labelled_;
  bool settled_ = false;
  bool has_labels_ = false;
  std::size_t label_ = 0;
  std::vector<std::size_t> columns_;  // template column -> file column
  ColumnSentence sentence_;
  Sentences line_attributes_ = Sentences::of_attributes(/*labelled=*/false);  // of a file's sentence
  std::string name_;  // of an attribute, without escapes
};

}  // namespace hinge::tag
