// Text from a file, a pipe or a gzip file, in chunks that end where a block
// (a sentence, a document) or a line ends, so that a corpus of any size is never
// in memory whole. What it hands out is valid UTF-8 without NUL bytes and without
// a byte order mark at its beginning.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace hinge {

// Where a chunk may end. Text without empty lines is all one block.
enum class ChunkEnd { kBlock, kLine };

class TextSource {
 public:
  // "-" is standard input. Throws InputError where the file cannot be read.
  explicit TextSource(const std::string& path, ChunkEnd chunk_end = ChunkEnd::kBlock);
  ~TextSource();
  TextSource(const TextSource&) = delete;
  TextSource& operator=(const TextSource&) = delete;

  // The next chunk: one or more whole blocks, each ended by an empty line (or
  // whole lines), the last of the text perhaps not. False at the end. The view lives until the
  // next call. From a pipe, what has arrived is handed out without waiting.
  bool next(std::string_view& chunk);

  const std::string& name() const { return name_; }       // for messages
  std::size_t first_line() const { return first_line_; }  // of the chunk, from 1

 private:
  class Bytes;
  std::size_t line_end(std::size_t from) const;
  std::size_t block_end(std::size_t from) const;
  void check(std::string_view chunk) const;

  std::string name_;
  ChunkEnd chunk_end_;
  std::unique_ptr<Bytes> bytes_;
  std::string buffer_;
  std::size_t used_ = 0;  // of buffer_, handed out by the last call
  std::size_t first_line_ = 1;
  bool started_ = false;
  bool at_end_ = false;
};

// Line after line, without line ends.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : source_(path, ChunkEnd::kLine) {}

  // False at the end. The view lives until the next read.
  bool next(std::string_view& line);

  const std::string& name() const { return source_.name(); }
  std::size_t number() const { return number_; }  // of the line read last, from 1

 private:
  TextSource source_;
  std::string_view rest_;  // of the chunk
  std::size_t number_ = 0;
};

// The position of the first byte that is not UTF-8 or is NUL, or npos.
std::size_t find_bad_byte(std::string_view text);

// The whole of a file, checked the same way.
std::string read_text(const std::string& path);

}  // namespace hinge
