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
    if (out.size() < before + 2 || out[before] != '\x1f' || out[before + 1] != '\x8b') return true;
    compressed_ = out.substr(before);
    out.resize(before);
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) fail<InputError>("{}: zlib cannot start", name_);
    inflating_ = true;
    stream_.next_in = reinterpret_cast<Bytef*>(compressed_.data());
    stream_.avail_in = static_cast<uInt>(compressed_.size());
    return read_inflated(out);
  }

  // Whether read() need not wait: bytes or the end have come.
  bool ready() const {
    if (inflating_ && stream_.avail_in > 0) return true;
    pollfd input{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&input, 1, /*timeout=*/0) != 0;
  }

 private:
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
  name_ = !input.text && input.name == "-" ? "standard input" : input.name;
  first_line_ = input.first_line;
  text_ = input.text;
  bytes_ = text_ ? nullptr : std::make_unique<Bytes>(input.name, name_);
  buffer_.clear();
  used_ = line_begin_ = 0;
  started_ = had_mark_ = at_end_ = false;
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
  first_line_ += count_lines(std::string_view(buffer_).substr(0, used_));
  buffer_.erase(0, used_);
  line_begin_ = line_begin_ > used_ ? line_begin_ - used_ : 0;
  used_ = 0;
  while (!at_end_) {
    const std::size_t searched = buffer_.size();  // an empty line may end at the first new byte, not before
    at_end_ = !bytes_->read(buffer_);
    if (!started_ && !at_end_ && buffer_.size() < kByteOrderMark.size()) continue;
    if (!std::exchange(started_, true) && buffer_.starts_with(kByteOrderMark)) {
      buffer_.erase(0, kByteOrderMark.size());
      had_mark_ = true;
    }
    // No need to read on after a NUL byte, perhaps for gigabytes: the text is refused.
    const std::size_t fresh = std::min(searched, buffer_.size());
    if (std::memchr(buffer_.data() + fresh, '\0', buffer_.size() - fresh) != nullptr) at_end_ = true;
    if (!at_end_) check_lengths(fresh);
    used_ = at_end_ ? buffer_.size() : end_in(buffer_, searched);
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
