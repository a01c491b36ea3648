// Made-up topics: documents that repeat some facts, and references that consist of them.
#pragma once

#include <cstdint>

#include "hinge/files/output_file.h"

namespace hinge::summarize {

// JSON lines, with about this many sentences in all documents. Facts are sampled sentences;
// the more documents have one, the likelier it is in a reference.
void sample_topics(std::int64_t sentences, std::uint64_t seed, OutputFile& out);

}  // namespace hinge::summarize
