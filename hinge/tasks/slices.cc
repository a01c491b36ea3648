#include "hinge/tasks/slices.h"

#include <algorithm>

#include "hinge/core/communicator.h"
#include "hinge/core/ordered_loop.h"

namespace hinge {
namespace {

// Small enough that threads finish a round together, large enough that handing
// out a slice costs next to nothing.
constexpr std::size_t kMostBytes = 8192;
constexpr std::size_t kMostExamples = 64;
constexpr std::size_t kPerThread = 8;  // slices in a short round

std::size_t slice_size(std::size_t whole, std::size_t threads, std::size_t most) {
  return std::clamp<std::size_t>(whole / (threads * kPerThread), 1, most);
}

}  // namespace

SliceReader::SliceReader(const Source& source, ColumnFormat format, const Workers& workers)
    : source_(source), threads_(static_cast<std::size_t>(workers.threads())), layout_(format) {
  if (source.memory != nullptr) return;
  text_.emplace(source.input(), format == ColumnFormat::kLines ? ChunkEnd::kLine : ChunkEnd::kBlock);
}

std::span<const Slice> SliceReader::next() {
  slices_.clear();
  std::string_view chunk;
  if (source_.memory != nullptr) {
    cut_memory();
  } else if (text_->next_unchecked(chunk)) {
    cut_text(chunk);
  }
  return slices_;
}

void SliceReader::cut_text(std::string_view text) {
  const bool lines = layout_.format == ColumnFormat::kLines;
  if (layout_.columns == 0 && !lines) layout_ = find_layout(text, text_->name(), layout_.format);
  const std::size_t size = slice_size(text.size(), threads_, kMostBytes);
  std::size_t line = text_->first_line();
  while (!text.empty()) {
    const std::size_t from = std::min(size, text.size());
    const std::string_view slice =
        text.substr(0, lines ? first_line_end(text, from) : first_block_end(text, from));
    slices_.push_back(
        {.source = &source_, .text = slice, .file = text_->name(), .first_line = line, .layout = layout_});
    line += count_lines(slice);
    text.remove_prefix(slice.size());
  }
}

void SliceReader::cut_memory() {
  if (std::exchange(at_end_, true)) return;
  const std::size_t examples = source_.memory->examples();
  const std::size_t size = slice_size(examples, threads_, kMostExamples);
  for (std::size_t begin = 0; begin < examples; begin += size)
    slices_.push_back({.source = &source_, .begin = begin, .end = std::min(begin + size, examples)});
}

RankSlices::RankSlices(const Communicator& communicator)
    : ranks_(static_cast<std::size_t>(communicator.size())),
      first_(static_cast<std::size_t>(communicator.rank())) {}

void RankSlices::each(std::size_t slices, Workers& workers, const std::function<void(std::size_t)>& body) {
  const std::size_t mine = first_ < slices ? (slices - first_ - 1) / ranks_ + 1 : 0;
  each_until_error(workers, mine, [&](std::size_t i) { body(first_ + i * ranks_); }).rethrow();
  first_ = (first_ + ranks_ - slices % ranks_) % ranks_;
}

void each_slice(const Source& source, ColumnFormat format, Workers& workers,
                const std::function<void(const Slice&)>& body) {
  Communicator& communicator = this_communicator();
  agree_on(communicator, [&] {
    SliceReader reader(source, format, workers);
    RankSlices mine(communicator);
    for (auto round = reader.next(); !round.empty(); round = reader.next())
      mine.each(round.size(), workers, [&](std::size_t i) { body(round[i]); });
  });
}

}  // namespace hinge
