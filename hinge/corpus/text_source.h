// Text from files, a pipe, gzip files or memory. Files are read in chunks that
// end where a block (a sentence, a document) or a line ends, so a large corpus
// is never in memory as a whole. The text is checked to be UTF-8 without NUL
// bytes; a file's byte order mark is removed. A file with a line longer than
// kMostLineBytes, or a block longer than kMostBlockBytes, is refused.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hinge {

inline constexpr std::size_t kMostLineBytes = std::size_t{16} << 20;
inline constexpr std::size_t kMostBlockBytes = std::size_t{256} << 20;

// A part of a text: the blocks (or lines, see ChunkEnd) that begin at bytes [begin, end)
// of it, counted without compression. Ranges that follow each other share no block and
// leave none out.
struct ByteRange {
  static constexpr std::size_t kToTheEnd = static_cast<std::size_t>(-1);

  std::size_t begin = 0;
  std::size_t end = kToTheEnd;
  std::size_t line = 0;  // the number of the line with byte `begin`; 0: to be counted from the start
};

// Where text is read from: a file ("-": standard input) or memory; perhaps several, one
// after another. The end of each ends what it holds: a sentence, a document.
struct TextInput {
  TextInput(std::string file) : name(std::move(file)) {}  // NOLINT: a path is an input
  TextInput(const char* file) : name(file) {}             // NOLINT
  // Not copied: the text must outlive its readers. The name and the number of
  // the first line are for messages.
  TextInput(std::string_view memory, std::string name_of_it, std::size_t line = 1)
      : name(std::move(name_of_it)), text(memory), first_line(line) {}

  std::string name;  // or path
  std::optional<std::string_view> text;
  std::size_t first_line = 1;   // of the text in memory
  ByteRange range = {};         // not of standard input
  std::vector<TextInput> more;  // what follows, each with a name and lines of its own
};

// Where a chunk may end. Text without empty lines is a single block.
enum class ChunkEnd { kBlock, kLine };

// What can be known of a file without reading it.
struct TextExtent {
  std::size_t bytes;  // on disk
  bool compressed;
};
// Throws InputError if it cannot be read.
TextExtent extent_of_text(const std::string& path);
// The bytes of a compressed file without compression; reads it. Throws InputError if it is damaged.
std::size_t inflated_size(const std::string& path);

class TextSource {
 public:
  // Throws InputError if the first file cannot be read, or another is missing.
  explicit TextSource(const TextInput& input, ChunkEnd chunk_end = ChunkEnd::kBlock);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  // The next chunk: one or more whole blocks, each ended by an empty line (or
  // whole lines); the end may be missing at the end of the text. False at the
  // end. The view is valid until the next call. From a pipe, what has arrived is
  // returned without waiting for more; text in memory is one chunk. Throws
  // InputError naming file and line of a byte that is not UTF-8, after all
  // blocks (or lines) before it have been returned.
  bool next(std::string_view& chunk);
  // The same without checking the bytes, for callers that check in other threads.
  bool next_unchecked(std::string_view& chunk);
  // Continues with another text in memory; not for files. No name: the same file.
  void restart(std::string_view text, std::size_t first_line, std::string_view name = {});
  // False if nothing has arrived in a pipe, so that next() would wait.
  bool ready() const;

  // Of the chunk; a chunk comes from one file.
  const std::string& name() const { return name_; }       // for messages
  std::size_t first_line() const { return first_line_; }  // from 1
  std::size_t part() const { return part_; }              // which of several files, from 0
  bool had_byte_order_mark() const { return had_mark_; }  // a file, after the first chunk

 private:
  class Bytes;
  friend TextExtent extent_of_text(const std::string& path);
  friend std::size_t inflated_size(const std::string& path);
  friend std::size_t count_lines(const std::string& path, std::size_t begin, std::size_t end);
  void begin(const TextInput& input);
  void begin_memory(const TextInput& input);
  void skip_to(const ByteRange& range);
  void drop(std::size_t bytes);
  void drop_mark();
  void end_part();
  bool next_in_part(std::string_view& chunk);
  bool next_in_memory(std::string_view& chunk);
  std::size_t end_in(std::string_view text, std::size_t from) const;
  std::string describe(std::string_view chunk, std::size_t bad) const;
  void check_lengths(std::size_t searched);

  std::string name_;
  ChunkEnd chunk_end_;
  std::unique_ptr<Bytes> bytes_;          // null for text in memory
  std::optional<std::string_view> text_;  // in memory, until it is returned
  std::string damage_;                    // message the next call throws
  std::string buffer_;
  std::size_t used_ = 0;        // bytes of buffer_ returned by the last call
  std::size_t line_begin_ = 0;  // of the last line in buffer_
  std::size_t first_line_ = 1;
  bool started_ = false;
  bool had_mark_ = false;
  bool at_end_ = false;
  std::size_t position_ = 0;  // of buffer_ in the file
  std::size_t end_ = ByteRange::kToTheEnd;
  bool unsearched_ = false;  // buffer_ holds what follows another part of the file
  std::vector<TextInput> more_;
  std::size_t part_ = 0;
};

// Reads line by line, without line ends.
class LineReader {
 public:
  explicit LineReader(const TextInput& input) : source_(input, ChunkEnd::kLine) {}

  // False at the end. The view is valid until the next read.
  bool next(std::string_view& line);
  // Continues with another text in memory; not for files. No name: the same file.
  void restart(std::string_view text, std::size_t first_line, std::string_view name = {}) {
    source_.restart(text, first_line, name);
    rest_ = {};
  }

  // Of the last line read.
  const std::string& name() const { return source_.name(); }
  std::size_t number() const { return number_; }  // from 1 in a file
  std::size_t part() const { return source_.part(); }  // which of several texts it is from, from 0

 private:
  TextSource source_;
  std::string_view rest_;  // unread part of the chunk
  std::size_t number_ = 0;
};

// Just after the last empty line of `text` that ends beyond `from`, or 0.
std::size_t last_block_end(std::string_view text, std::size_t from = 0);
// Just after the first empty line that ends beyond `from`, or the end of the text.
std::size_t first_block_end(std::string_view text, std::size_t from = 0);
// Just after the first line that ends at `from` or later, or the end of the text.
std::size_t first_line_end(std::string_view text, std::size_t from = 0);

std::size_t count_lines(std::string_view text);  // only lines with a line end
// Those that end at bytes [begin, end) of a file that is not compressed.
std::size_t count_lines(const std::string& path, std::size_t begin, std::size_t end);

// The position of the first byte that is not UTF-8 or is NUL, or npos.
std::size_t find_bad_byte(std::string_view text);

// The whole text, checked as by TextSource::next(). Not for several files.
std::string read_text(const TextInput& input);

}  // namespace hinge
