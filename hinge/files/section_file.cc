#include "hinge/files/section_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "hinge/core/error.h"
#include "hinge/core/weights.h"
#include "hinge/files/bytes.h"
#include "hinge/files/section_stream.h"

namespace hinge {
namespace {

constexpr std::size_t kMagicBytes = 8;
constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kRowBytes = kNameBytes + 3 * sizeof(std::uint64_t);
constexpr std::size_t kHeaderBytes = kMagicBytes + 4 + 4 + 8;
constexpr std::size_t kAlignment = 64;
constexpr std::uint64_t kVerifiedBytes = std::uint64_t{16} << 20;  // of a mapped file
constexpr std::uint32_t kMostSections = 1024;

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

[[noreturn]] void refuse_as(const SectionKind& kind, const std::string& message) {
  kind.refuse(message);
  throw Error(message);  // in case refuse() wrongly returns
}

// An open file in memory: mapped, or a copy. Of a file cut short meanwhile the rest
// of the copy is zero. MAP_FAILED if there is no memory.
void* load(int fd, std::size_t size, bool copy) {
  if (!copy) return mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  // Rows of weights are read at random: in a large model most would miss the TLB.
  constexpr std::size_t kLarge = std::size_t{32} << 20;
  if (address != MAP_FAILED && size >= kLarge) prefer_large_pages(address, size);
  std::size_t done = 0;
  while (address != MAP_FAILED && done < size) {
    const ssize_t got = ::read(fd, static_cast<char*>(address) + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return address;
}

}  // namespace

void SectionWriter::add(std::string_view name, std::string bytes) {
  assert(name.size() <= kNameBytes);
  sections_.push_back({std::string(name), std::move(bytes)});
}

void SectionWriter::add_bytes(std::string_view name, std::string_view bytes) {
  assert(name.size() <= kNameBytes);
  sections_.push_back({std::string(name), bytes});
}

namespace {

template <typename Sections>
std::vector<SectionInput> inputs_of(const Sections& sections) {
  std::vector<SectionInput> inputs;
  for (const auto& section : sections) inputs.push_back({.name = section.name, .bytes = section.view()});
  return inputs;
}

std::string header_of(const SectionKind& kind, std::span<const SectionInput> sections) {
  std::uint64_t offset = aligned(kHeaderBytes + sections.size() * kRowBytes + sizeof(std::uint64_t));
  ByteWriter table;
  for (const SectionInput& section : sections) {
    std::string padded(section.name);
    padded.resize(kNameBytes, '\0');
    for (const char byte : padded) table.put(byte);
    table.put(offset);
    table.put<std::uint64_t>(section.bytes.size());
    table.put(checksum(section.bytes));
    offset = aligned(offset + section.bytes.size());
  }
  ByteWriter header;
  for (const char byte : kind.magic) header.put(byte);
  header.put(kind.format);
  header.put(static_cast<std::uint32_t>(sections.size()));
  header.put(offset);  // where the file ends
  std::string bytes = header.take() + table.take();
  const std::uint64_t sum = checksum(bytes);
  bytes.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  return bytes;
}

template <typename Append>
void emit_sections(const std::string& header, std::span<const SectionInput> sections, const Append& append) {
  constexpr std::size_t kPiece = std::size_t{16} << 20;
  constexpr char kZeros[kAlignment] = {};
  const auto append_padded = [&](std::string_view bytes, const auto& written) {
    for (std::size_t done = 0; done < bytes.size(); done += kPiece) {
      append(bytes.substr(done, kPiece));
      if (written) written(std::min(done + kPiece, bytes.size()));
    }
    append(std::string_view(kZeros, aligned(bytes.size()) - bytes.size()));
  };
  append_padded(header, std::function<void(std::uint64_t)>());
  for (const SectionInput& section : sections) append_padded(section.bytes, section.written);
}

}  // namespace

void write_sections(const SectionKind& kind, std::span<const SectionInput> sections, OutputFile& out) {
  emit_sections(header_of(kind, sections), sections, [&](std::string_view part) { out.write(part); });
}

std::string SectionWriter::header() const { return header_of(*kind_, inputs_of(sections_)); }

template <typename Append>
void SectionWriter::emit(const Append& append) const {
  emit_sections(header(), inputs_of(sections_), append);
}

std::string SectionWriter::bytes() const {
  std::string file;
  emit([&](std::string_view part) { file += part; });
  return file;
}

void SectionWriter::write(OutputFile& out) const {
  emit([&](std::string_view part) { out.write(part); });
}

SectionFile SectionFile::open(const std::string& path, const SectionKind& kind) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // a FIFO must not block
  if (fd < 0) {
    refuse_as(kind, fmt::format("{}: cannot be opened ({}); check the path", path, std::strerror(errno)));
  }
  struct stat info;
  const bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  const auto size = regular ? static_cast<std::size_t>(info.st_size) : 0;
  void* address = size > 0 ? load(fd, size, /*copy=*/size <= kind.copied) : MAP_FAILED;
  close(fd);
  if (address == MAP_FAILED) {
    refuse_as(kind, fmt::format("{}: is empty or not a file; {}", path, kind.make));
  }
  return {path, kind, {}, std::string_view(static_cast<const char*>(address), size)};
}

bool SectionFile::is_of(const std::string& path, const SectionKind& kind) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  char magic[8] = {};
  std::ifstream(path, std::ios::binary).read(magic, sizeof magic);
  return std::string_view(magic, sizeof magic) == kind.magic;
}

SectionFile SectionFile::from_bytes(std::string bytes, const std::string& name, const SectionKind& kind) {
  return {name, kind, std::move(bytes), {}};
}

SectionFile::SectionFile(std::string name, const SectionKind& kind, std::string owned,
                         std::string_view mapped)
    : name_(std::move(name)), kind_(&kind), owned_(std::move(owned)), mapped_(mapped) {
  bytes_ = mapped_.data() != nullptr ? mapped_ : std::string_view(owned_);
  try {
    parse();
  } catch (...) {
    if (mapped_.data() != nullptr) munmap(const_cast<char*>(mapped_.data()), mapped_.size());
    throw;
  }
}

SectionFile::SectionFile(std::string name, const SectionKind& kind, std::string_view bytes, Nested)
    : name_(std::move(name)), kind_(&kind), bytes_(bytes) {
  parse();
}

SectionFile SectionFile::nested(std::string_view name) const {
  return {name_, *kind_, section(name), Nested()};
}

SectionFile::SectionFile(SectionFile&& other) noexcept
    : name_(std::move(other.name_)),
      kind_(other.kind_),
      owned_(std::move(other.owned_)),
      mapped_(std::exchange(other.mapped_, {})) {
  // A header exceeds the small-string buffer, so moving the string leaves its bytes
  // in place and the views valid.
  bytes_ = other.bytes_;
  sections_ = std::move(other.sections_);
}

SectionFile::~SectionFile() {
  if (mapped_.data() != nullptr) munmap(const_cast<char*>(mapped_.data()), mapped_.size());
}

void SectionFile::refuse(std::string_view problem, std::string_view remedy) const {
  refuse_as(*kind_, fmt::format("{}: {}; {}", name_, problem, remedy));
}

void SectionFile::refuse_damaged(std::string_view problem) const {
  refuse(problem, fmt::format("copy or {}", kind_->redo));
}

void SectionFile::parse() {
  if (!bytes_.starts_with(kind_->magic)) refuse(fmt::format("is not {}", kind_->what), kind_->make);
  if (bytes_.size() < kHeaderBytes) {
    refuse_damaged(fmt::format("has only {} bytes, it was cut short", bytes_.size()));
  }
  ByteReader header(bytes_.substr(kMagicBytes), "header");
  const auto format = header.get<std::uint32_t>();
  if (format == 0 || format > kind_->format) {
    refuse(fmt::format("has format {}, this build reads formats 1-{}", format, kind_->format),
           fmt::format("upgrade hinge or {}", kind_->redo));
  }
  const auto count = header.get<std::uint32_t>();
  const auto size = header.get<std::uint64_t>();
  const std::uint64_t table_end = kHeaderBytes + std::uint64_t{count} * kRowBytes;
  if (size != bytes_.size() || count > kMostSections || table_end + sizeof(std::uint64_t) > bytes_.size()) {
    refuse_damaged(
        fmt::format("has {} bytes but should have {}, it was cut short or changed", bytes_.size(), size));
  }
  std::uint64_t sum;
  std::memcpy(&sum, bytes_.data() + table_end, sizeof sum);
  if (sum != checksum(bytes_.substr(0, table_end))) refuse_damaged("the header is damaged");
  parse_table(count);
}

void SectionFile::parse_table(std::uint32_t count) {
  for (std::uint32_t s = 0; s < count; ++s) {
    const std::string_view row = bytes_.substr(kHeaderBytes + s * kRowBytes, kRowBytes);
    const std::string_view padded = row.substr(0, kNameBytes);
    ByteReader fields(row.substr(kNameBytes), "section table");
    const auto offset = fields.get<std::uint64_t>();
    const auto bytes = fields.get<std::uint64_t>();
    const auto expected = fields.get<std::uint64_t>();
    if (offset > bytes_.size() || bytes > bytes_.size() - offset || offset % kAlignment != 0) {
      refuse_damaged("a section lies outside the file");
    }
    const std::string_view name = padded.substr(0, padded.find('\0'));
    const Section section{bytes_.substr(offset, bytes), expected};
    if (bytes_.size() <= kind_->copied || bytes <= kVerifiedBytes) check(name, section);
    sections_.emplace(name, section);
  }
}

void SectionFile::check(std::string_view name, const Section& section) const {
  if (checksum(section.bytes) == section.checksum) return;
  refuse_damaged(fmt::format("section '{}' is damaged (checksum)", name));
}

void SectionFile::verify() const {
  for (const auto& [name, section] : sections_) check(name, section);
}

std::string_view SectionFile::section(std::string_view name) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) refuse(fmt::format("has no section '{}'", name), kind_->redo);
  return found->second.bytes;
}

std::vector<std::pair<std::string, std::uint64_t>> SectionFile::sizes() const {
  std::vector<std::pair<std::string, std::uint64_t>> sizes;
  for (const auto& [name, section] : sections_) sizes.emplace_back(name, section.bytes.size());
  return sizes;
}

}  // namespace hinge
