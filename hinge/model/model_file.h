// The model file: a table of named sections behind a checked header.
//
//   magic "HINGE\r\n\x1a" · u32 format · u32 sections · u64 bytes of the file
//   section table: name[16] · u64 offset · u64 bytes · u64 XXH3 of the section
//   u64 XXH3 of all the above · sections, each at a multiple of 64 bytes
//
// Little-endian. It is mapped, not read: opening costs the same whatever the
// size. The header and sections up to kVerifiedBytes are checked on opening;
// verify() checks the rest. Readers of larger sections bound every index.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hinge {

inline constexpr std::uint32_t kModelFormat = 1;  // the newest this build reads and writes

class ModelWriter {
 public:
  void add(std::string_view name, std::string bytes);
  // The finished file. The same sections give the same bytes.
  std::string bytes() const;

 private:
  std::vector<std::pair<std::string, std::string>> sections_;
};

class ModelFile {
 public:
  // Throws ModelError where the file is no model, newer, damaged or cut short.
  static ModelFile open(const std::string& path);
  // A model in memory, for instance just trained.
  static ModelFile from_bytes(std::string bytes, const std::string& name);

  ~ModelFile();
  ModelFile(ModelFile&& other) noexcept;
  ModelFile& operator=(ModelFile&&) = delete;

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return bytes_.size(); }
  bool has(std::string_view section) const { return sections_.contains(section); }
  std::string_view section(std::string_view name) const;
  // A section as an array; views the mapped file.
  template <typename T>
  std::span<const T> array(std::string_view name) const {
    const std::string_view bytes = section(name);
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  // A model in a section of this one, which must outlive it.
  ModelFile nested(std::string_view section) const;
  std::vector<std::pair<std::string, std::uint64_t>> sizes() const;

  nlohmann::json meta() const;  // task, learner, options, labels, ...
  void verify() const;          // every section against its checksum

 private:
  struct Section {
    std::string_view bytes;
    std::uint64_t checksum;
  };
  struct Nested {};
  ModelFile(std::string name, std::string owned, std::string_view mapped);
  ModelFile(std::string name, std::string_view bytes, Nested);
  void parse();
  void check(std::string_view name, const Section& section) const;

  std::string name_;
  std::string owned_;
  std::string_view mapped_;  // from mmap, or empty
  std::string_view bytes_;
  std::map<std::string, Section, std::less<>> sections_;
};

}  // namespace hinge
