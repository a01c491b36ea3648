// Mentions in the training documents, each found by a detector learned from other
// documents: with its own it would be surer than it is later.
#pragma once

#include <vector>

#include "hinge/core/threads.h"
#include "hinge/tasks/coref/documents.h"
#include "hinge/tasks/coref/plan.h"

namespace hinge::coref {

class CrossDetection {
 public:
  // `space` is where candidates go; null: into memory.
  CrossDetection(const Rereadable<Document>& documents, const Plan& plan, double miss, Workers& workers,
                 SpillSpace* space);

  FoundSpans find(std::size_t i) const;
  // The model's, learned from all documents.
  Detector take_detector() { return std::move(detectors_[kFolds]); }
  std::size_t candidates() const { return spans_.size(); }
  std::size_t right() const;  // candidates that are mentions

 private:
  static constexpr std::size_t kFolds = 5;

  void add(std::span<const Document> documents, const Plan& plan, Workers& workers);
  void learn(double miss, Workers& workers);

  Column<Span> spans_;  // of all documents
  DetectorExamples examples_;
  std::vector<Detector> detectors_;  // [folds + 1]
};

}  // namespace hinge::coref
