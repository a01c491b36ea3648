#include "hinge/tasks/coref/cross_detection.h"

#include <algorithm>

#include "hinge/core/interrupt.h"
#include "hinge/core/ordered_loop.h"
#include "hinge/files/block_cache.h"
#include "hinge/tasks/coref/candidates.h"

namespace hinge::coref {

CrossDetection::CrossDetection(const Rereadable<Document>& documents, const Plan& plan, double miss,
                               Workers& workers, SpillSpace* space) {
  if (space != nullptr) {
    spans_.spill(*space);
    examples_.fields.spill(*space);
    examples_.mention.spill(*space);
  }
  documents.each([&](std::span<const Document> some) { add(some, plan, workers); });
  learn(miss, workers);
}

void CrossDetection::add(std::span<const Document> documents, const Plan& plan, Workers& workers) {
  struct Candidates {
    std::vector<Span> spans;
    std::vector<FieldKeys> fields;
  };
  std::vector<Candidates> found(documents.size());
  each_until_error(workers, documents.size(), [&](std::size_t i) {
    check_interrupt();
    const Tokens tokens = tokens_of(documents[i], plan.columns);
    found[i].spans = candidate_spans(tokens);
    found[i].fields = describe_candidates(tokens, found[i].spans, plan.frequent);
  }).rethrow();
  for (std::size_t i = 0; i < documents.size(); ++i) {
    spans_.append(found[i].spans);
    examples_.fields.append(found[i].fields);
    for (const std::uint32_t cluster : gold_clusters(documents[i], found[i].spans))
      examples_.mention.push_back(cluster != kNoCluster);
    examples_.begin.push_back(spans_.size());
  }
}

void CrossDetection::learn(double miss, Workers& workers) {
  detectors_.resize(kFolds + 1);
  each_until_error(workers, kFolds + 1, [&](std::size_t fold) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i + 1 < examples_.begin.size(); ++i) {
      if (i % kFolds != fold) others.push_back(i);
    }
    detectors_[fold] = Detector::learn(examples_, others, miss);
  }).rethrow();
}

FoundSpans CrossDetection::find(std::size_t i) const {
  const std::size_t begin = examples_.begin[i], end = examples_.begin[i + 1];
  const bool alone = examples_.begin.size() == 2;  // there are no others to learn from
  return detect(part_of(spans_, begin, end), part_of(examples_.fields, begin, end),
                detectors_[alone ? kFolds : i % kFolds]);
}

std::size_t CrossDetection::right() const {
  return static_cast<std::size_t>(std::ranges::count(examples_.mention, 1));
}

}  // namespace hinge::coref
