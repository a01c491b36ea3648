#include "hinge/corpus/text_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utf8proc.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "hinge/core/error.h"
#include "hinge/core/interrupt.h"
#include "hinge/core/missing.h"
#include "hinge/corpus/read_progress.h"

namespace hinge {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::atomic<std::uint64_t> all_bytes_read{0};

[[noreturn]] void refuse_path(const std::string& name) {
  const int error = errno;
  existing<MissingInput>(name);
  fail<InputError>("{}: cannot be opened ({}); check the path", name, std::strerror(error));
}

}  // namespace

std::uint64_t bytes_read() { return all_bytes_read.load(std::memory_order_relaxed); }

std::size_t find_bad_byte(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t word;
    while (at + 8 <= text.size()) {  // eight ASCII bytes, none of them NUL, at a time
      std::memcpy(&word, text.data() + at, 8);
      if ((word | ((word - 0x0101010101010101u) & ~word)) & 0x8080808080808080u) break;
      at += 8;
    }
    if (at == text.size()) break;
    if (text[at] == '\0') return at;
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      ++at;
      continue;
    }
    utf8proc_int32_t code;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data() + at);
    const utf8proc_ssize_t length =
        utf8proc_iterate(bytes, static_cast<utf8proc_ssize_t>(text.size() - at), &code);
    if (length < 1) return at;
    at += static_cast<std::size_t>(length);
  }
  return std::string_view::npos;
}

// Reads a file descriptor, decompressing if it begins with gzip's magic bytes.
class TextSource::Bytes {
 public:
  Bytes(const std::string& path, const std::string& name) : name_(name), owned_(path != "-") {
    fd_ = owned_ ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    if (name.empty()) fail<InputError>("the name of a file to read is empty; give one");
    if (fd_ < 0) refuse_path(name);
    struct stat info;
    if (fstat(fd_, &info) == 0 && S_ISDIR(info.st_mode)) {
      close_file();
      fail<InputError>("{}: is a folder, but a file was expected", name);
    }
  }
  ~Bytes() {
    if (inflating_) inflateEnd(&stream_);
    close_file();
  }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  // Appends some bytes to `out`; false at the end.
  bool read(std::string& out) {
    if (inflating_) return read_inflated(out);
    const std::size_t before = out.size();
    if (!read_raw(out)) return false;
    if (!first_) return true;
    first_ = false;
    while (out.size() < before + 2 && read_raw(out)) {
    }
    if (out.size() < before + 2 || !is_gzip(out.data() + before)) return true;
    compressed_ = out.substr(before);
    out.resize(before);
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) fail<InputError>("{}: zlib cannot start", name_);
    inflating_ = true;
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    stream_.avail_in = static_cast<uInt>(compressed_.size());
    return read_inflated(out);
  }

  TextExtent extent() const {
    struct stat info {};
    fstat(fd_, &info);
    char magic[2] = {};
    const bool compressed = pread(fd_, magic, 2, 0) == 2 && is_gzip(magic);
    return {static_cast<std::size_t>(info.st_size), compressed};
  }

  // Whether it went there; false: what is before must be read.
  bool seek(std::size_t to) {
    if (extent().compressed || lseek(fd_, static_cast<off_t>(to), SEEK_SET) < 0) return false;
    first_ = false;
    return true;
  }

  // Whether read() need not wait: bytes or the end have come.
  bool ready() const {
    if (inflating_ && stream_.avail_in > 0) return true;
    pollfd input{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&input, 1, /*timeout=*/0) != 0;
  }

 private:
  static bool is_gzip(const char* magic) { return magic[0] == '\x1f' && magic[1] == '\x8b'; }

  bool read_raw(std::string& out) {
    const std::size_t before = out.size();
    out.resize(before + kChunkBytes);
    ssize_t got;
    do {
      got = ::read(fd_, out.data() + before, kChunkBytes);
    } while (got < 0 && errno == EINTR);
    out.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0) fail<InputError>("{}: cannot be read ({})", name_, std::strerror(errno));
    all_bytes_read.fetch_add(static_cast<std::uint64_t>(got), std::memory_order_relaxed);
    return got > 0;
  }

  bool read_inflated(std::string& out) {
    const std::size_t before = out.size();
    out.resize(before + kChunkBytes);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream_.avail_out = static_cast<uInt>(kChunkBytes);
    while (stream_.avail_out == kChunkBytes) {
      if (stream_.avail_in == 0 && !refill()) break;
      const int status = inflate(&stream_, Z_NO_FLUSH);
      if (status == Z_STREAM_END) {
        finished_ = true;
        inflateReset(&stream_);  // gzip data may have several members in a row
      } else if (status == Z_OK) {
        finished_ = false;
      } else if (status != Z_BUF_ERROR) {
        fail<InputError>("{}: the gzip data is damaged; fetch or compress the file again", name_);
      }
    }
    const std::size_t got = kChunkBytes - stream_.avail_out;
    out.resize(before + got);
    if (got == 0 && !finished_) {
      fail<InputError>("{}: the gzip data ends too early; fetch or compress the file again", name_);
    }
    return got > 0;
  }

  bool refill() {
    compressed_.clear();
    if (!read_raw(compressed_)) return false;
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    stream_.avail_in = static_cast<uInt>(compressed_.size());
    return true;
  }

  void close_file() {
    if (owned_) close(fd_);
  }

  std::string name_;
  bool owned_;
  int fd_ = -1;
  bool first_ = true;
  bool inflating_ = false;
  bool finished_ = false;
  std::string compressed_;
  z_stream stream_{};
};

std::size_t last_block_end(std::string_view text, std::size_t from) {
  // Not before `from`, where a long text has been searched already.
  const std::string_view rest = text.substr(std::min(from, text.size()));
  for (std::size_t k = rest.rfind('\n'); k != std::string_view::npos;
       k = k == 0 ? rest.npos : rest.rfind('\n', k - 1)) {
    const std::size_t at = text.size() - rest.size() + k;
    if (at == 0) break;
    const bool empty = text[at - 1] == '\n' || (at > 1 && text[at - 1] == '\r' && text[at - 2] == '\n');
    if (empty) return at + 1;
  }
  return 0;
}

std::size_t first_block_end(std::string_view text, std::size_t from) {
  for (std::size_t at = text.find('\n', from); at != std::string_view::npos; at = text.find('\n', at + 1)) {
    const std::string_view rest = text.substr(at + 1, 2);
    if (rest.starts_with('\n')) return at + 2;
    if (rest == "\r\n") return at + 3;
  }
  return text.size();
}

std::size_t first_line_end(std::string_view text, std::size_t from) {
  const std::size_t at = text.find('\n', from);
  return at == std::string_view::npos ? text.size() : at + 1;
}

namespace {

// The first end of a block (or line) in the text at `from` or later; npos if there is none.
// `begins_line`: the text begins where a line does. Three bytes before `from` suffice.
std::size_t first_end(std::string_view text, std::size_t from, ChunkEnd kind, bool begins_line) {
  for (std::size_t at = text.find('\n', from > 0 ? from - 1 : 0); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    std::string_view before = text.substr(0, at);
    if (before.ends_with('\r')) before.remove_suffix(1);
    const bool empty = before.empty() ? begins_line : before.ends_with('\n');
    if (kind == ChunkEnd::kLine || empty) return at + 1;
  }
  return std::string_view::npos;
}

}  // namespace

TextExtent extent_of_text(const std::string& path) { return TextSource::Bytes(path, path).extent(); }

std::size_t inflated_size(const std::string& path) {
  TextSource::Bytes bytes(path, path);
  std::size_t size = 0;
  for (std::string some; bytes.read(some); some.clear()) {
    check_interrupt();
    size += some.size();
  }
  return size;
}

std::size_t count_lines(const std::string& path, std::size_t begin, std::size_t end) {
  TextSource::Bytes bytes(path, path);
  bytes.seek(begin);
  std::size_t lines = 0;
  std::size_t left = end - begin;
  for (std::string some; left > 0 && bytes.read(some); some.clear()) {
    check_interrupt();
    const std::string_view mine = std::string_view(some).substr(0, left);
    lines += count_lines(mine);
    left -= mine.size();
  }
  return lines;
}

// The count of a short block fits a byte, so the compiler can vectorize with bytes.
std::size_t count_lines(std::string_view text) {
  constexpr std::size_t kBlock = 128;
  std::size_t lines = 0;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    std::uint8_t some = 0;
    for (std::size_t k = 0; k < kBlock; ++k) some = static_cast<std::uint8_t>(some + (text[k] == '\n'));
    lines += some;
  }
  return lines + static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TextSource::TextSource(const TextInput& input, ChunkEnd chunk_end)
    : chunk_end_(chunk_end), more_(input.more) {
  begin(input);
  for (const TextInput& file : more_) {  // a missing one is noticed before hours of reading
    if (!file.text && access(file.name.c_str(), R_OK) != 0) refuse_path(file.name);
  }
}

TextSource::~TextSource() = default;

void TextSource::begin(const TextInput& input) {
  // The next range of a file goes on where the last one ended: what is compressed is read once.
  const bool goes_on = bytes_ != nullptr && !input.text && input.range.begin > 0 &&
                       input.range.begin == end_ && input.name == name_;
  at_end_ = false;
  end_ = input.range.end;
  if (goes_on) {
    unsearched_ = true;
    return;
  }
  name_ = !input.text && input.name == "-" ? "standard input" : input.name;
  bytes_.reset();
  text_.reset();
  buffer_.clear();
  used_ = line_begin_ = position_ = 0;
  started_ = had_mark_ = unsearched_ = false;
  if (input.text) return begin_memory(input);
  first_line_ = input.first_line;
  bytes_ = std::make_unique<Bytes>(input.name, name_);
  if (input.range.begin > 0) skip_to(input.range);
}

void TextSource::begin_memory(const TextInput& input) {
  const ByteRange& range = input.range;
  const auto first_at = [&](std::size_t from) {
    return from == 0 ? 0 : std::min(first_end(*input.text, from, chunk_end_, true), input.text->size());
  };
  const std::size_t begin = first_at(range.begin), end = first_at(range.end);
  text_ = input.text->substr(begin, end - begin);
  const std::size_t counted = range.line == 0 ? 0 : range.begin;
  first_line_ = (range.line == 0 ? input.first_line : range.line) +
                (range.begin == 0 ? 0 : count_lines(input.text->substr(counted, begin - counted)));
}

// To the first block or line that begins at range.begin or later; if there is none, to the end.
void TextSource::skip_to(const ByteRange& range) {
  constexpr std::size_t kBefore = 3;  // bytes that tell whether a block ends at range.begin
  constexpr std::size_t kNearStart = 16;
  const bool seeks = range.line > 0 && range.begin > kNearStart && bytes_->seek(range.begin - kBefore);
  if (seeks) position_ = range.begin - kBefore;
  started_ = seeks;
  bool at_start = !seeks;  // of the file
  bool line_is_known = !seeks;
  for (bool more = true; more;) {
    check_interrupt();
    more = bytes_->read(buffer_);
    if (more && buffer_.size() < kBefore) continue;
    if (!std::exchange(line_is_known, true))
      first_line_ = range.line - count_lines(std::string_view(buffer_).substr(0, kBefore));
    if (!started_) drop_mark();
    const std::size_t from = range.begin - std::min(range.begin, position_);
    used_ = first_end(buffer_, from, chunk_end_, at_start);
    unsearched_ = used_ != std::string_view::npos;
    if (unsearched_) return;
    drop(buffer_.size() - std::min(buffer_.size(), kBefore));
    at_start = false;
  }
  used_ = 0;
  buffer_.clear();
  at_end_ = true;
}

// A file's byte order mark.
void TextSource::drop_mark() {
  started_ = true;
  if (!buffer_.starts_with(kByteOrderMark)) return;
  buffer_.erase(0, kByteOrderMark.size());
  position_ += kByteOrderMark.size();
  had_mark_ = true;
}

// Forgets the first bytes of the buffer.
void TextSource::drop(std::size_t bytes) {
  first_line_ += count_lines(std::string_view(buffer_).substr(0, bytes));
  buffer_.erase(0, bytes);
  position_ += bytes;
  line_begin_ = line_begin_ > bytes ? line_begin_ - bytes : 0;
}

// If the bytes in use reach the end of the part: ends it where the first block or line ends there.
void TextSource::end_part() {
  if (used_ == 0 || position_ + used_ < end_) return;
  const std::size_t from = end_ - std::min(end_, position_);
  const std::size_t end =
      first_end(std::string_view(buffer_).substr(0, used_), from, chunk_end_, /*begins_line=*/true);
  if (end == std::string_view::npos) return;  // the end of the file
  used_ = end;
  at_end_ = true;
}

void TextSource::restart(std::string_view text, std::size_t first_line, std::string_view name) {
  assert(bytes_ == nullptr && more_.empty());
  if (!name.empty() && name != name_) name_ = name;
  text_ = text;
  first_line_ = first_line;
  damage_.clear();
}

bool TextSource::ready() const { return bytes_ == nullptr || at_end_ || bytes_->ready(); }

// Just after the last block or line that ends beyond `from`, or 0.
std::size_t TextSource::end_in(std::string_view text, std::size_t from) const {
  from = std::min(from, text.size());  // a byte order mark may have been removed
  if (chunk_end_ == ChunkEnd::kBlock) return last_block_end(text, from);
  const std::size_t at = text.substr(from).rfind('\n');
  return at == std::string_view::npos ? 0 : from + at + 1;
}

bool TextSource::next_in_memory(std::string_view& chunk) {
  if (!text_) return false;
  chunk = *text_;
  text_.reset();
  return !chunk.empty();
}

bool TextSource::next_unchecked(std::string_view& chunk) {
  check_interrupt();
  while (!next_in_part(chunk)) {
    if (part_ == more_.size()) return false;
    begin(more_[part_++]);
  }
  return true;
}

bool TextSource::next_in_part(std::string_view& chunk) {
  if (bytes_ == nullptr) return next_in_memory(chunk);
  drop(std::exchange(used_, 0));
  if (position_ >= end_) at_end_ = true;  // the block before was longer than this part
  while (!at_end_) {
    // An empty line may end at the first new byte, not before.
    const std::size_t searched = std::exchange(unsearched_, false) ? 0 : buffer_.size();
    if (searched == buffer_.size()) at_end_ = !bytes_->read(buffer_);
    if (!started_ && !at_end_ && buffer_.size() < kByteOrderMark.size()) continue;
    if (!started_) drop_mark();
    // No need to read on after a NUL byte, perhaps for gigabytes: the text is refused.
    const std::size_t fresh = std::min(searched, buffer_.size());
    if (std::memchr(buffer_.data() + fresh, '\0', buffer_.size() - fresh) != nullptr) at_end_ = true;
    if (!at_end_) check_lengths(fresh);
    used_ = at_end_ ? buffer_.size() : end_in(buffer_, searched);
    end_part();
    if (used_ > 0) break;
  }
  chunk = std::string_view(buffer_).substr(0, used_);
  return used_ > 0;
}

// Without limits a file without line ends would fill the memory.
void TextSource::check_lengths(std::size_t searched) {
  const std::size_t at = std::string_view(buffer_).substr(searched).rfind('\n');
  if (at != std::string_view::npos) line_begin_ = searched + at + 1;
  if (buffer_.size() - line_begin_ > kMostLineBytes)
    fail<InputError>("{}:{}: the line is longer than {} MB; is it text with line ends?", name_,
                     first_line_ + count_lines(std::string_view(buffer_).substr(0, line_begin_)),
                     kMostLineBytes >> 20);
  if (buffer_.size() > kMostBlockBytes + kChunkBytes)
    fail<InputError>("{}:{}: there is no empty line in {} MB; separate sentences by empty lines", name_,
                     first_line_, kMostBlockBytes >> 20);
}

bool TextSource::next(std::string_view& chunk) {
  if (!damage_.empty()) fail<InputError>("{}", damage_);
  if (!next_unchecked(chunk)) return false;
  const std::size_t bad = find_bad_byte(chunk);
  if (bad == std::string_view::npos) return true;
  damage_ = describe(chunk, bad);
  const std::size_t good = end_in(chunk.substr(0, bad), 0);
  if (good == 0) fail<InputError>("{}", damage_);
  chunk = chunk.substr(0, good);
  return true;
}

std::string TextSource::describe(std::string_view chunk, std::size_t bad) const {
  const std::size_t line = first_line_ + count_lines(chunk.substr(0, bad));
  if (chunk[bad] == '\0') {
    return fmt::format("{}:{}: has a NUL byte, but text was expected; is it a binary file or UTF-16?", name_,
                       line);
  }
  return fmt::format("{}:{}: byte 0x{:02x} is not UTF-8; convert the file (iconv -f latin1 -t utf-8)", name_,
                     line, static_cast<unsigned char>(chunk[bad]));
}

bool LineReader::next(std::string_view& line) {
  if (rest_.empty()) {
    if (!source_.next(rest_)) return false;
    number_ = source_.first_line() - 1;
  }
  const auto* end = static_cast<const char*>(std::memchr(rest_.data(), '\n', rest_.size()));
  const std::size_t length = end == nullptr ? rest_.size() : static_cast<std::size_t>(end - rest_.data());
  line = rest_.substr(0, length);
  rest_.remove_prefix(std::min(length + 1, rest_.size()));
  ++number_;
  if (line.ends_with('\r')) line.remove_suffix(1);
  return true;
}

std::string read_text(const TextInput& input) {
  assert(input.more.empty());
  TextSource source(input);
  std::string text;
  for (std::string_view chunk; source.next(chunk);) text += chunk;
  return text;
}

}  // namespace hinge
