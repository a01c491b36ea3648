// What hypotheses are worth: the numbers the task learns from, beside the lists.
#pragma once

#include <string>
#include <vector>

#include "hinge/core/threads.h"
#include "hinge/corpus/nbest/lists.h"
#include "hinge/corpus/nbest/references.h"
#include "hinge/evaluate/metric.h"
#include "hinge/tasks/source.h"

namespace hinge::rerank {

// What hypotheses are worth.
struct Costs {
  std::size_t width = 0;     // of statistics; 0: costs were given
  std::vector<float> stats;  // [hypotheses][width]
  std::vector<float> costs;  // [hypotheses], 0 best
};

// Statistics and smoothed costs of single sentences, as parts of one; `name` is
// that of the references, for messages. Without workers on one thread.
Costs count_costs(const NBestLists& lists, const References& references, const std::string& name,
                  Metric& metric, Workers* workers = nullptr);

struct ReferenceOptions {
  std::string paths;    // separated by commas
  bool subset = false;  // they may have sentences that the lists do not have
};

// Statistics and costs: of a metric against references (of the source in memory,
// or files), or those the lists give. Throws OptionError where there is neither,
// InputError where a sentence has no list.
Costs costs_of(const NBestLists& lists, const Source& source, const ReferenceOptions& references,
               Metric& metric, Workers* workers = nullptr);

}  // namespace hinge::rerank
