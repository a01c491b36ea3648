// The model file: sections behind a checked header (files/section_file.h says
// how they lie), one of them, "meta", a description in JSON. It is mapped, not
// read, so opening costs the same whatever the size.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "hinge/files/section_file.h"

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

  // Task, learner, options, labels, ..., each of the type it was written with. Throws ModelError.
  nlohmann::json meta() const;

 private:
  explicit ModelFile(SectionFile&& file) : SectionFile(std::move(file)) {}
};

}  // namespace hinge
