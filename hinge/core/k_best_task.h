// An extension: the k highest-scoring outputs, for k-best MIRA.
#pragma once

#include "hinge/core/task.h"

namespace hinge {

class KBestTask : public Extension {
 public:
  static constexpr std::string_view kName = "k-best outputs";

  // Fills `cuts` with at most k cuts of distinct rivals, best first; gold may
  // be among them (as an empty psi with loss 0).
  virtual void most_violated_k(std::size_t i, const Weights& w, double loss_weight, std::size_t k,
                               Scratch& scratch, std::vector<Cut>& cuts) const = 0;
};

}  // namespace hinge
