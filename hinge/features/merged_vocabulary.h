// Labels and features that ranks found in their own parts of the data -> those that one
// process would have found in all of it, with the same numbers.
//
// Every function is a meeting, and does on one rank what there is to do there. What is known
// before the data is read must be the same on all ranks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hinge/core/communicator.h"
#include "hinge/features/label_set.h"
#include "hinge/features/vocabulary.h"

namespace hinge {

// All labels, in the order in which they appear in the data. Returns the new number of each label of
// this rank.
std::vector<std::uint16_t> merge_labels(LabelSet& labels, Communicator& ranks);

// Where the keys of ranks went.
struct MergedKeys {
  std::vector<std::uint32_t> new_ids;  // of this rank's keys; Vocabulary::kUnknown: dropped
  // Several ranks may have met a key; the first of them has its name.
  std::vector<std::uint32_t> named;                    // this rank's keys with names, in the order of new ids
  std::vector<std::vector<std::uint32_t>> named_by;  // on rank 0: the new ids of each rank's; else empty
};

// Vocabulary::prune() for the keys and counts of all ranks. Each adds up the counts of a part of the
// hash space and drops what is rare there, so no rank has what is rare in the data of others.
MergedKeys merge_and_prune(Vocabulary& vocabulary, std::int64_t min_count, Communicator& ranks);

// Names of features, after their keys: rank 0 gets all, the others lose theirs.
void merge_names(FeatureNames& names, const MergedKeys& keys, const std::vector<Template>& templates,
                 Communicator& ranks);
// The same for names that are just texts.
void merge_names(std::vector<std::string>& names, const MergedKeys& keys, Communicator& ranks);

}  // namespace hinge
