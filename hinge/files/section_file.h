// A file of named sections behind a checked header: models and caches.
//
//   magic[8] · u32 format · u32 sections · u64 bytes of the file
//   section table: name[16] · u64 offset · u64 bytes · u64 XXH3 of the section
//   u64 XXH3 of all the above · sections, each at a multiple of 64 bytes
//
// Little-endian. A file up to its kind's `copied` is copied into memory and checked whole,
// so nothing that happens to it later can harm its readers. A larger one is mapped:
// opening checks the header and the sections up to kVerifiedBytes, verify() the
// rest; readers of larger sections check every index. A mapped file must be replaced
// by renaming, as OutputFile does, never overwritten.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "hinge/files/output_file.h"

namespace hinge {

// Identifies a kind of file, with the words for its messages.
struct SectionKind {
  std::string_view magic;                      // 8 bytes
  std::uint32_t format;                        // the newest this build reads and writes; 1 is the oldest
  std::string_view what;                       // "a Hinge model"
  std::string_view make;                       // what to do without one: "train a model with 'hinge train'"
  std::string_view redo;                       // what to do with a damaged one: "train it again"
  void (*refuse)(const std::string& message);  // throws this kind's Error
  std::uint64_t copied = std::uint64_t{1} << 30;  // larger files are mapped
};

class SectionWriter {
 public:
  explicit SectionWriter(const SectionKind& kind) : kind_(&kind) {}

  void add(std::string_view name, std::string bytes);
  // To be read by SectionFile::array().
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void add_array(std::string_view name, std::span<const T> values) {
    add(name, std::string(reinterpret_cast<const char*>(values.data()), values.size_bytes()));
  }
  // Not copied: the values must outlive the writer.
  template <typename T>
  requires std::is_trivially_copyable_v<T>
  void add_view(std::string_view name, std::span<const T> values) {
    add_bytes(name, {reinterpret_cast<const char*>(values.data()), values.size_bytes()});
  }

  // The finished file. The same sections give the same bytes.
  std::string bytes() const;
  // The same without a second copy of everything in memory.
  void write(OutputFile& out) const;

 private:
  struct Section {
    std::string name;
    std::variant<std::string, std::string_view> bytes;

    std::string_view view() const {
      return std::visit([](const auto& held) { return std::string_view(held); }, bytes);
    }
  };
  void add_bytes(std::string_view name, std::string_view bytes);
  std::string header() const;
  template <typename Append>
  void emit(const Append& append) const;

  const SectionKind* kind_;
  std::vector<Section> sections_;
};

class SectionFile {
 public:
  // Calls kind.refuse() if the file is of another kind, newer, damaged or cut
  // short.
  static SectionFile open(const std::string& path, const SectionKind& kind);
  // Checks the first bytes. False for pipes, "-" and unreadable files.
  static bool is_of(const std::string& path, const SectionKind& kind);
  // A file in memory, e.g. one just written.
  static SectionFile from_bytes(std::string bytes, const std::string& name, const SectionKind& kind);

  ~SectionFile();
  SectionFile(SectionFile&& other) noexcept;
  SectionFile& operator=(SectionFile&&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return bytes_.size(); }
  std::string_view bytes() const { return bytes_; }  // the whole file
  bool has(std::string_view section) const { return sections_.contains(section); }
  std::string_view section(std::string_view name) const;
  // A section as an array; a view.
  template <typename T>
  std::span<const T> array(std::string_view name) const {
    const std::string_view bytes = section(name);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  // A file of the same kind nested in a section of this one, which must outlive it.
  SectionFile nested(std::string_view section) const;
  std::vector<std::pair<std::string, std::uint64_t>> sizes() const;

  void verify() const;  // checks the checksum of every section

  // Throws the kind's Error: "name: problem; remedy".
  [[noreturn]] void refuse(std::string_view problem, std::string_view remedy) const;
  [[noreturn]] void refuse_damaged(std::string_view problem) const;  // remedy: copy it or make it again

 private:
  struct Section {
    std::string_view bytes;
    std::uint64_t checksum;
  };
  struct Nested {};
  SectionFile(std::string name, const SectionKind& kind, std::string owned, std::string_view mapped);
  SectionFile(std::string name, const SectionKind& kind, std::string_view bytes, Nested);
  void parse();
  void parse_table(std::uint32_t count);
  void check(std::string_view name, const Section& section) const;

  std::string name_;
  const SectionKind* kind_;
  std::string owned_;
  std::string_view mapped_;  // the file or a copy of it, from mmap; or empty
  std::string_view bytes_;
  std::map<std::string, Section, std::less<>> sections_;
};

}  // namespace hinge
