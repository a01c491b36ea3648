// Lines of text with a label each, from a file or memory.
//
//   fasttext   __label__NAME the text
//   tab        NAME<TAB>the text
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "hinge/tasks/classify/memory.h"
#include "hinge/tasks/slices.h"

namespace hinge::classify {

enum class LineFormat { kAuto, kFastText, kTab };

LineFormat parse_format(std::string_view name);
std::string_view format_name(LineFormat format);

// How a file is read; stored in the model.
struct TextFormat {
  LineFormat lines = LineFormat::kAuto;  // kAuto: the first line decides
  std::string label_prefix = "__label__";
};

class TextReader {
 public:
  // labelled: every line must have a label. Otherwise it may be missing, as in new
  // text, and lines may be empty. Throws OptionError if the prefix is empty.
  TextReader(const Source& source, TextFormat format, bool labelled);

  // The same for a part of the source's text, or for one slice; other slices are read after
  // restart(). The format must be known.
  TextReader(const Source& source, const TextInput& part, TextFormat format, bool labelled);
  TextReader(const Slice& slice, TextFormat format, bool labelled);
  void restart(std::string_view text, std::size_t first_line, const ColumnLayout&,
               std::string_view name = {}) {
    lines_->restart(text, first_line, name);
  }
  void restart(std::size_t begin, std::size_t end);

  // False at the end. Views are valid until the next call.
  bool next();
  std::string_view text() const { return text_; }
  std::string_view label() const { return label_; }  // without prefix; empty: none

  std::string where() const;  // "file:line", or "name: text 3"
  const std::string& name() const { return memory_ ? name_ : lines_->name(); }
  const TextFormat& format() const { return format_; }  // without kAuto after the first line
  std::size_t part() const { return memory_ ? 0 : lines_->part(); }  // of several texts: where the line is

 private:
  bool next_in_memory();
  void settle(std::string_view line);
  void split_fasttext(std::string_view line);
  void split_tab(std::string_view line);

  std::string name_;
  std::shared_ptr<const Texts> memory_;  // null: a file
  std::optional<LineReader> lines_;      // unset: memory
  std::size_t next_ = 0, end_ = 0;       // texts in memory
  TextFormat format_;
  bool labelled_;
  std::string_view label_, text_;
};

}  // namespace hinge::classify
