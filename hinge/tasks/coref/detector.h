// Which candidate spans are mentions: a linear classifier on the properties of each
// span, trained by passive-aggressive steps (Crammer et al., JMLR 2006, PA-I) with a
// margin of `miss` for mentions and 1 for other spans, averaged over all steps. A high
// cost of misses gives high recall, as the resolver can still leave a span alone.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/files/column.h"
#include "hinge/tasks/coref/mentions.h"

namespace hinge::coref {

// Spans of documents with the answers.
struct DetectorExamples {
  Column<std::size_t> begin{0};  // [documents + 1], into spans
  Column<FieldKeys> fields;      // [spans]
  Column<char> mention;          // [spans]
};

class Detector {
 public:
  Detector();
  explicit Detector(std::vector<float> weights) : weights_(std::move(weights)) {}

  // A positive score is a mention.
  float score(const FieldKeys& fields) const;

  // From these documents.
  static Detector learn(const DetectorExamples& examples, std::span<const std::size_t> documents,
                        double miss);

  std::span<const float> weights() const { return weights_; }
  static std::size_t dimension();

 private:
  std::vector<float> weights_;
};

}  // namespace hinge::coref
