// N-best lists in one file that is mapped and used where it lies: no parsing,
// and pages that nobody looks at again may leave memory.
//
// Opening reads the file once, to check every checksum, every bound and every
// number, so that nothing need be checked later. Laid out as in
// files/section_file.h; the sections are the arrays of NBestLists.
#pragma once

#include <cstdint>
#include <string>

#include "hinge/corpus/nbest/lists.h"

namespace hinge {

inline constexpr std::uint32_t kNBestCacheFormat = 1;  // the newest this build reads and writes

void write_nbest_cache(const NBestLists& lists, const std::string& path);

// Throws InputError where the file is no cache, newer, damaged or cut short.
NBestLists open_nbest_cache(const std::string& path);

// By its first bytes. False for pipes, "-" and what cannot be read.
bool is_nbest_cache(const std::string& path);

}  // namespace hinge
