// Writes a file of sections (files/section_file.h) that may be longer than memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "hinge/files/section_file.h"

namespace hinge {

struct SectionInput {
  std::string_view name;
  std::string_view bytes;
  std::function<void(std::uint64_t)> written = {};  // called when the first n bytes are in the file
};

void write_sections(const SectionKind& kind, std::span<const SectionInput> sections, OutputFile& out);

}  // namespace hinge
