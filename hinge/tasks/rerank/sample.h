// Made-up n-best lists: sentences of the sampler, damaged in many ways, with
// features that tell of the damage, not all of them as loudly as they should.
#pragma once

#include <cstdint>

#include "hinge/files/output_file.h"

namespace hinge::rerank {

// In the format of Moses, best first by a decoder that heeds its features alike.
void sample_lists(std::int64_t sentences, std::uint64_t seed, OutputFile& out);

// The sentences themselves, a line each; the same for the same seed.
void sample_references(std::int64_t sentences, std::uint64_t seed, OutputFile& out);

}  // namespace hinge::rerank
