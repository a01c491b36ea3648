// An extension: sums over all outputs, for likelihood learners. The distribution is
//
//   p(y) ~ exp(w . Phi(x_i, y) + loss_weight * Delta_i(y)).
#pragma once

#include "hinge/core/task.h"

namespace hinge {

// Summary of a distribution over the outputs of one example.
struct Expectation {
  Gradient gradient;           // E[Phi] - Phi(gold)
  double log_loss = 0.0;       // log sum_y exp(w . Phi(y) + loss_weight Delta(y)) - w . Phi(gold)
  double expected_loss = 0.0;  // E[Delta]
};

class MarginalTask : public Extension {
 public:
  static constexpr std::string_view kName = "marginals";

  // Fills `expectation` (reusing its memory). If gold is only partly known,
  // Phi(gold) and w . Phi(gold) stand for the expectation and the log-sum over
  // the acceptable outputs.
  virtual void expect(std::size_t i, const Weights& w, double loss_weight, Scratch& scratch,
                      Expectation& expectation) const = 0;

  // Appends the weights used by acceptable outputs of example i; repeats are
  // harmless. Many models keep only these.
  virtual void gold_support(std::size_t i, Scratch& scratch, std::vector<Block>& blocks) const = 0;
};

}  // namespace hinge
