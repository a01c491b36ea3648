// A text cut into shards before it is read, so that each rank reads only its own.
//
// Shard s of S has the blocks (or lines) that begin at bytes [total s / S, total (s + 1) / S)
// of all texts one after another, counted without compression. The cut depends on the texts
// and the number of shards, but never on ranks. Some shards are empty if blocks are few.
#pragma once

#include <cstddef>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/corpus/text_source.h"

namespace hinge {

// The text of this rank's shards (core/shards.h).
struct ShardText {
  TextInput input;                   // ranges of texts, one after another
  std::vector<std::size_t> shards;  // of each range: see TextSource::part()
};

// Meetings. Ranks share the work of finding how long compressed files are, and on which
// line their shards begin. Throws InputError, on all ranks, if a file cannot be read, or if
// they see files of different sizes. Not for standard input or pipes.
ShardText cut_text(const std::vector<TextInput>& texts, std::size_t shards, Communicator& ranks);

}  // namespace hinge
