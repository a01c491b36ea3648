// Made-up parallel text, for trying things out: the sampler's English, and a language
// with words of its own, no difference between articles, adjectives after nouns and
// verbs at the end.
#pragma once

#include <cstdint>

#include "hinge/files/output_file.h"

namespace hinge::mt {

// English goes to `target`. The same seed gives the same text.
void sample_parallel(std::int64_t sentences, std::uint64_t seed, OutputFile& source, OutputFile& target);

}  // namespace hinge::mt
