// How far the reading of files is, for progress: a long compilation wants to say when it
// will be done, and its readers are many layers below.
#pragma once

#include <cstdint>

namespace hinge {

// Bytes that TextSources of this process have read from files, as they are on the disk.
std::uint64_t bytes_read();

}  // namespace hinge
