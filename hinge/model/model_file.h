// The model file: sections behind a checked header (files/section_file.h says
// how they lie), one of them, "meta", a description in JSON. It is mapped, not
// read, so opening costs the same whatever the size.
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
  // Throws ModelError where the file is no model, newer, damaged or cut short.
  static ModelFile open(const std::string& path);
  // By its first bytes; false for what cannot be read.
  static bool is_model(const std::string& path);
  // A model in memory, for instance just trained.
  static ModelFile from_bytes(std::string bytes, const std::string& name);

  // A model in a section of this one, which must outlive it.
  ModelFile nested(std::string_view section) const;

  // What it says about itself. Throws ModelError if that is damaged.
  const Description& description() const;

 private:
  explicit ModelFile(SectionFile&& file);

  std::unique_ptr<Description> description_;  // null: damaged
};

}  // namespace hinge
