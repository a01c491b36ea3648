#include "hinge/model/model_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <cassert>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "hinge/core/bytes.h"
#include "hinge/core/error.h"

namespace hinge {
namespace {

constexpr std::string_view kMagic("HINGE\r\n\x1a", 8);
constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kRowBytes = kNameBytes + 3 * sizeof(std::uint64_t);
constexpr std::size_t kHeaderBytes = 8 + 4 + 4 + 8;
constexpr std::size_t kAlignment = 64;
constexpr std::uint64_t kVerifiedBytes = std::uint64_t{16} << 20;
constexpr std::uint32_t kMostSections = 1024;

std::uint64_t checksum(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t aligned(std::uint64_t offset) { return (offset + kAlignment - 1) / kAlignment * kAlignment; }

}  // namespace

void ModelWriter::add(std::string_view name, std::string bytes) {
  assert(name.size() <= kNameBytes);
  sections_.emplace_back(name, std::move(bytes));
}

std::string ModelWriter::bytes() const {
  std::uint64_t offset = aligned(kHeaderBytes + sections_.size() * kRowBytes + sizeof(std::uint64_t));
  ByteWriter table;
  std::string body;
  for (const auto& [name, bytes] : sections_) {
    std::string padded = name;
    padded.resize(kNameBytes, '\0');
    for (const char byte : padded) table.put(byte);
    table.put(offset);
    table.put<std::uint64_t>(bytes.size());
    table.put(checksum(bytes));
    body += bytes;
    body.resize(aligned(body.size()), '\0');
    offset = aligned(offset + bytes.size());
  }
  ByteWriter header;
  for (const char byte : kMagic) header.put(byte);
  header.put(kModelFormat);
  header.put(static_cast<std::uint32_t>(sections_.size()));
  header.put(offset);  // where the file ends
  std::string file = header.take() + table.take();
  const std::uint64_t sum = checksum(file);
  file.append(reinterpret_cast<const char*>(&sum), sizeof sum);
  file.resize(aligned(file.size()), '\0');
  return file + body;
}

ModelFile ModelFile::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail<ModelError>("{}: cannot be opened ({}); check the path", path, std::strerror(errno));
  struct stat info;
  const bool regular = fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  const auto size = regular ? static_cast<std::size_t>(info.st_size) : 0;
  void* address = size > 0 ? mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (address == MAP_FAILED)
    fail<ModelError>("{}: is empty or not a file; train a model with 'hinge train'", path);
  return {path, {}, std::string_view(static_cast<const char*>(address), size)};
}

ModelFile ModelFile::from_bytes(std::string bytes, const std::string& name) {
  return {name, std::move(bytes), {}};
}

ModelFile::ModelFile(std::string name, std::string owned, std::string_view mapped)
    : name_(std::move(name)), owned_(std::move(owned)), mapped_(mapped) {
  bytes_ = mapped_.data() != nullptr ? mapped_ : std::string_view(owned_);
  try {
    parse();
  } catch (...) {
    if (mapped_.data() != nullptr) munmap(const_cast<char*>(mapped_.data()), mapped_.size());
    throw;
  }
}

ModelFile::ModelFile(std::string name, std::string_view bytes, Nested)
    : name_(std::move(name)), bytes_(bytes) {
  parse();
}

ModelFile ModelFile::nested(std::string_view name) const { return {name_, section(name), Nested()}; }

ModelFile::ModelFile(ModelFile&& other) noexcept
    : name_(std::move(other.name_)),
      owned_(std::move(other.owned_)),
      mapped_(std::exchange(other.mapped_, {})) {
  // A model's bytes are far longer than what a string stores inside itself,
  // so moving it leaves them where they are; the views stay good.
  bytes_ = other.bytes_;
  sections_ = std::move(other.sections_);
}

ModelFile::~ModelFile() {
  if (mapped_.data() != nullptr) munmap(const_cast<char*>(mapped_.data()), mapped_.size());
}

void ModelFile::parse() {
  if (!bytes_.starts_with(kMagic)) {
    fail<ModelError>("{}: is not a Hinge model; train one with 'hinge train'", name_);
  }
  if (bytes_.size() < kHeaderBytes) {
    fail<ModelError>("{}: has only {} bytes; it was cut short, copy or train it again", name_, bytes_.size());
  }
  ByteReader header(bytes_.substr(kMagic.size()), "header");
  const auto format = header.get<std::uint32_t>();
  if (format == 0 || format > kModelFormat) {
    fail<ModelError>("{}: has format {}, this build reads formats 1-{}; upgrade hinge or train again", name_,
                     format, kModelFormat);
  }
  const auto count = header.get<std::uint32_t>();
  const auto size = header.get<std::uint64_t>();
  const std::uint64_t table_end = kHeaderBytes + std::uint64_t{count} * kRowBytes;
  if (size != bytes_.size() || count > kMostSections || table_end + sizeof(std::uint64_t) > bytes_.size()) {
    fail<ModelError>(
        "{}: has {} bytes but should have {}; it was cut short or changed, copy or train it again", name_,
        bytes_.size(), size);
  }
  std::uint64_t sum;
  std::memcpy(&sum, bytes_.data() + table_end, sizeof sum);
  if (sum != checksum(bytes_.substr(0, table_end))) {
    fail<ModelError>("{}: the header is damaged; copy or train it again", name_);
  }
  for (std::uint32_t s = 0; s < count; ++s) {
    const std::string_view row = bytes_.substr(kHeaderBytes + s * kRowBytes, kRowBytes);
    const std::string_view padded = row.substr(0, kNameBytes);
    ByteReader fields(row.substr(kNameBytes), "section table");
    const auto offset = fields.get<std::uint64_t>();
    const auto bytes = fields.get<std::uint64_t>();
    const auto expected = fields.get<std::uint64_t>();
    if (offset > size || bytes > size - offset || offset % kAlignment != 0) {
      fail<ModelError>("{}: a section lies outside the file; copy or train it again", name_);
    }
    const std::string_view name = padded.substr(0, padded.find('\0'));
    const Section section{bytes_.substr(offset, bytes), expected};
    if (bytes <= kVerifiedBytes) check(name, section);
    sections_.emplace(name, section);
  }
}

void ModelFile::check(std::string_view name, const Section& section) const {
  if (checksum(section.bytes) == section.checksum) return;
  fail<ModelError>("{}: section '{}' is damaged (checksum); copy or train it again", name_, name);
}

void ModelFile::verify() const {
  for (const auto& [name, section] : sections_) check(name, section);
}

std::string_view ModelFile::section(std::string_view name) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) fail<ModelError>("{}: has no section '{}'; train it again", name_, name);
  return found->second.bytes;
}

std::vector<std::pair<std::string, std::uint64_t>> ModelFile::sizes() const {
  std::vector<std::pair<std::string, std::uint64_t>> sizes;
  for (const auto& [name, section] : sections_) sizes.emplace_back(name, section.bytes.size());
  return sizes;
}

nlohmann::json ModelFile::meta() const {
  const nlohmann::json meta = nlohmann::json::parse(section("meta"), nullptr, /*allow_exceptions=*/false);
  if (!meta.is_object()) fail<ModelError>("{}: its description is damaged; copy or train it again", name_);
  return meta;
}

}  // namespace hinge
