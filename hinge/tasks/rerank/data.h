// The costs of hypotheses, which the task learns from.
#pragma once

#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/corpus/nbest/lists.h"
#include "hinge/corpus/nbest/references.h"
#include "hinge/evaluate/metric.h"
#include "hinge/files/column.h"
#include "hinge/tasks/source.h"

namespace hinge::rerank {

struct Costs {
  std::size_t width = 0;  // statistics per hypothesis; 0: costs were given
  Column<float> stats;    // [hypotheses][width]
  Column<float> costs;    // [hypotheses], 0 best
};

// Statistics and smoothed sentence-level costs, as fractions; `name` names the
// references in messages. Single-threaded without workers. `space` is where they go; null: into memory.
Costs count_costs(const NBestLists& lists, const References& references, const std::string& name,
                  Metric& metric, Workers* workers = nullptr, SpillSpace* space = nullptr);

struct ReferenceOptions {
  std::string paths;    // separated by commas
  bool subset = false;  // references may have sentences without lists
};

// Statistics and costs: by a metric against references (in the source's memory or
// in files), or as the lists give them. Throws OptionError if there is neither,
// InputError if a sentence has no list.
Costs costs_of(const NBestLists& lists, const Source& source, const ReferenceOptions& references,
               Metric& metric, Workers* workers = nullptr, SpillSpace* space = nullptr);

}  // namespace hinge::rerank
