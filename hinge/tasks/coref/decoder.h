// From scores to clusters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hinge/corpus/documents.h"
#include "hinge/tasks/coref/scorer.h"

namespace hinge::coref {

// One per thread.
class Decoder {
 public:
  Decoder(const TemplateSet& templates, const Layout& layout) : scorer_(templates, layout) {}

  // The best choice of every mention.
  void choose(const DocumentView& data, const float* w);
  // [mentions]: the antecedent, or the mention itself for a new cluster.
  std::span<const std::uint32_t> antecedents() const { return antecedents_; }
  // [mentions]: by how much the choice beats the next best.
  std::span<const float> margins() const { return margins_; }

  // The clusters of these choices, numbered by first mention. Clusters of one mention are
  // dropped unless `singletons`.
  std::vector<Mention> clusters(bool singletons) const;

 private:
  Scorer scorer_;
  std::vector<float> scores_;
  std::vector<std::uint32_t> antecedents_;
  std::vector<float> margins_;
};

}  // namespace hinge::coref
