// The model file: sections behind a checked header (layout: files/section_file.h),
// of which "meta" is a description in JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "hinge/files/section_file.h"
#include "hinge/model/description.h"

namespace hinge {

inline constexpr std::uint32_t kModelFormat = 1;  // the newest this build reads and writes

class ModelWriter : public SectionWriter {
 public:
  ModelWriter();
};

class ModelFile : public SectionFile {
 public:
  // Throws ModelError if the file is not a model, is newer, damaged or cut short.
  static ModelFile open(const std::string& path);
  // Checks the first bytes; false for unreadable files.
  static bool is_model(const std::string& path);
  // A model in memory, e.g. one just trained.
  static ModelFile from_bytes(std::string bytes, const std::string& name);

  // A model nested in a section of this one, which must outlive it.
  ModelFile nested(std::string_view section) const;

  // Throws ModelError if it is damaged.
  const Description& description() const;

 private:
  explicit ModelFile(SectionFile&& file);

  std::unique_ptr<Description> description_;  // null: damaged
};

}  // namespace hinge
