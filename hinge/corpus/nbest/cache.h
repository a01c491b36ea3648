// N-best lists in one file that is mapped and used in place: no parsing, and the
// system may evict pages that are no longer used.
//
// Opening reads the file once and checks every checksum, bound and number, so
// nothing need be checked later. Layout: files/section_file.h; the sections are
// the arrays of NBestLists.
#pragma once

#include <cstdint>
#include <string>

#include "hinge/corpus/nbest/lists.h"

namespace hinge {

inline constexpr std::uint32_t kNBestCacheFormat = 1;  // newest version this build reads; the one it writes

void write_nbest_cache(const NBestLists& lists, const std::string& path);

// Throws InputError if the file is not a cache, newer, damaged or truncated.
NBestLists open_nbest_cache(const std::string& path);

// Judges by the first bytes. False for pipes, "-" and unreadable files.
bool is_nbest_cache(const std::string& path);

}  // namespace hinge
