// Checkpoints of learners that keep something per example, of which every rank has only
// the part of its own shards.
#pragma once

#include <vector>

#include "hinge/core/shards.h"
#include "hinge/core/state_bytes.h"

namespace hinge {

// `values` of all examples: every rank has those of its own shards; after it, rank 0
// has all. A meeting.
template <typename T>
void gather_to_first(const Shards& shards, std::vector<T>& values) {
  Communicator& communicator = this_communicator();
  if (communicator.size() == 1) return;
  StateToBytes mine;
  for (std::size_t i = shards.first_example(); i < shards.last_example(); ++i) mine(values[i]);
  std::vector<Bytes> to_each(static_cast<std::size_t>(communicator.size()));
  if (communicator.rank() != 0) to_each[0] = mine.bytes();
  std::size_t i = shards.last_example();  // of rank 0, whose examples come first
  for (const Bytes& bytes : communicator.exchange(std::move(to_each))) {
    StateFromBytes theirs(bytes);
    while (theirs.left() > 0) theirs(values[i++]);
  }
}

// Forgets those of other ranks' shards.
template <typename T>
void keep_own(const Shards& shards, std::vector<T>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i < shards.first_example() || i >= shards.last_example()) values[i] = T();
  }
}

}  // namespace hinge
