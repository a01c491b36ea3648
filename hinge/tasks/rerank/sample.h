// Generated n-best lists: sampled sentences with random damage, and features that
// reflect it, some of them poorly.
#pragma once

#include <cstdint>

#include "hinge/files/output_file.h"

namespace hinge::rerank {

// In Moses format, sorted by the score of a decoder with untuned weights.
void sample_lists(std::int64_t sentences, std::uint64_t seed, OutputFile& out);

// The undamaged sentences for the same seed, one per line.
void sample_references(std::int64_t sentences, std::uint64_t seed, OutputFile& out);

}  // namespace hinge::rerank
