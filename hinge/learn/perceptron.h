// The averaged structured perceptron.
//
// Collins (EMNLP 2002), Figure 2, with the averaging of section 2.3:
// predict with the current weights, on a mistake add Phi(gold) - Phi(rival),
// and keep the mean of the weights over all steps. No objective, no step size;
// hard to beat for its cost.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct PerceptronOptions {
  std::int64_t epochs = 10;
  bool average = true;
  std::int64_t mixes = 1;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("average", average, "keep the mean of the weights over all steps");
    table.add("mixes", mixes, "with shards: how often per pass they take the mean of their weights")
        .at_least(1);
  }
};

std::unique_ptr<Learner> make_perceptron(const Task& task, const PerceptronOptions& options,
                                         Workers& workers);

}  // namespace hinge
