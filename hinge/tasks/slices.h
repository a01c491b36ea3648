// A source cut into slices of whole sentences or lines, which threads read in
// parallel.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/core/threads.h"
#include "hinge/corpus/columns.h"
#include "hinge/tasks/source.h"

namespace hinge {

// What one thread reads at a time: lines of whole sentences (ColumnFormat::kLines:
// whole lines), or a range of examples if the source holds MemoryData. A view.
struct Slice {
  const Source* source;
  std::string_view text;
  std::string_view file = {};  // for messages, if it is not the source itself
  std::size_t first_line = 1;
  ColumnLayout layout;             // of the whole text
  std::size_t begin = 0, end = 0;  // examples

  // For text. A reader made from one slice reads others after restart().
  TextInput input() const { return {text, name(), first_line}; }
  std::string name() const { return file.empty() ? source->name() : std::string(file); }
};

// Points the reader at another slice of its source.
template <typename Reader>
void restart(Reader& reader, const Slice& slice) {
  if (slice.source->memory != nullptr) {
    reader.restart(slice.begin, slice.end);
  } else {
    reader.restart(slice.text, slice.first_line, slice.layout, slice.file);
  }
}

// Reads a source, which must outlive it, in rounds. The threads split text into
// cells and check it, not the reader.
class SliceReader {
 public:
  SliceReader(const Source& source, ColumnFormat format, const Workers& workers);

  // The next slices in order; none at the end. From a pipe, all sentences available
  // without waiting. Valid until the next call.
  std::span<const Slice> next();

 private:
  void cut_text(std::string_view text);
  void cut_memory();

  const Source& source_;
  std::size_t threads_;
  std::optional<TextSource> text_;
  ColumnLayout layout_;
  bool at_end_ = false;  // of memory
  std::vector<Slice> slices_;
};

// Which slices a rank handles, one round after another: every size()-th. Rounds begin with
// another slice each, as few slices make a round.
class RankSlices {
 public:
  explicit RankSlices(const Communicator& communicator);
  // body(i) for this rank's of the next round's slices, on all threads; throws what the
  // first failing one throws.
  void each(std::size_t slices, Workers& workers, const std::function<void(std::size_t)>& body);

 private:
  std::size_t ranks_, first_;
};

// body(slice) on all threads; several ranks share the slices. Throws what the first
// failing slice of the lowest failing rank throws.
void each_slice(const Source& source, ColumnFormat format, Workers& workers,
                const std::function<void(const Slice&)>& body);

}  // namespace hinge
