// Generated texts with labels: sampled sentences into which words of a topic are mixed.
#pragma once

#include <cstdint>

#include "hinge/files/output_file.h"

namespace hinge::classify {

// In fastText's format. Words of other topics occur, too, so no word decides by itself.
void sample_texts(std::int64_t texts, std::uint64_t seed, OutputFile& out);

}  // namespace hinge::classify
