#include "hinge/tasks/rerank/training_data.h"

#include "hinge/tasks/rerank/reader.h"

namespace hinge::rerank {

ListParts read_parts(const Source& source, const RerankOptions& options, const Known& known, Metric& metric,
                     Workers* workers, SpillSpace* space) {
  ListParts parts;
  parts.lists = read_lists(source, {.cost_feature = options.cost, .space = space});
  parts.costs = costs_of(parts.lists, source, {options.refs, options.subset}, metric, workers, space);
  const auto ngrams = static_cast<std::size_t>(options.ngrams);
  if (ngrams > 1 || !known.features.empty())
    parts.lists = with_more(parts.lists, known.features, ngrams, space);
  for (std::size_t f = 0; f < parts.lists.feature_count(); ++f) parts.names.emplace_back(parts.lists.name(f));
  parts.value_index.assign(parts.lists.value_index.begin(), parts.lists.value_index.end());
  parts.list_count = parts.lists.lists();
  parts.hypotheses = parts.lists.hypotheses();
  if (options.pairs > 0)
    parts.pairs = make_pairs(parts.lists, parts.costs.costs,
                             {.sampled = static_cast<std::size_t>(options.sampled),
                              .kept = static_cast<std::size_t>(options.pairs),
                              .least = options.least},
                             space);
  return parts;
}

}  // namespace hinge::rerank
