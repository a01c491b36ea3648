// The training data of a reranker, all that its training set is made of: read, or from a
// cache (compiled.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "hinge/tasks/rerank/data.h"
#include "hinge/tasks/rerank/features.h"
#include "hinge/tasks/rerank/options.h"
#include "hinge/tasks/rerank/pairs.h"

namespace hinge::rerank {

// The features of the model that training continues from; empty by default. They
// stay even if the new lists lack them.
struct Known {
  std::vector<FeatureName> features;
};

struct ListParts {
  NBestLists lists;  // from a cache of pairs: none
  Costs costs;
  PairData pairs;                          // for PRO, else none
  std::vector<std::string> names;          // of features
  std::vector<std::uint32_t> value_index;  // [features]
  std::uint64_t list_count = 0, hypotheses = 0;
  std::optional<std::uint64_t> fingerprint;  // absent: not known yet
  std::shared_ptr<BlockCache> cache;         // where the data lies, or null
};

// `space` is where lists go; null: into memory.
ListParts read_parts(const Source& source, const RerankOptions& options, const Known& known, Metric& metric,
                     Workers* workers, SpillSpace* space);

}  // namespace hinge::rerank
