// Softmax-margin: a cost-aware log-likelihood, by stochastic gradient.
//
//   min_w  1/2 |w|^2 + C sum_i ( log sum_y exp(w . Phi_i(y) + Delta_i(y)) - w . Phi_i(gold) )
//
// Gimpel & Smith (NAACL 2010); with AdaGrad or AdaDelta steps as in Kummerfeld,
// Berg-Kirkpatrick, Klein (EMNLP 2015), section 2.2. Costs in the exponent make
// it a smooth upper bound of the hinge.
#pragma once

#include <memory>

#include "hinge/core/learner.h"
#include "hinge/core/options.h"
#include "hinge/core/threads.h"

namespace hinge {

struct SoftmaxMarginOptions {
  std::int64_t epochs = 10;
  double C = 1.0;
  std::string rule = "adagrad";
  double eta = 0.2;
  double rho = 0.95;
  std::int64_t batch = 1;
  bool average = false;
  double tolerance = 1e-3;

  void describe(OptionTable& table) {
    table.add("epochs", epochs, "passes over the training data").at_least(1);
    table.add("C", C, "weight of the loss against 1/2 |w|^2").above(0);
    table.add("rule", rule, "how steps adapt").one_of({"adagrad", "adadelta"});
    table.add("eta", eta, "step size of adagrad").above(0);
    table.add("rho", rho, "how long adadelta remembers").above(0).at_most(1);
    table.add("batch", batch, "examples per update; they are decoded in parallel").at_least(1);
    table.add("average", average, "keep the mean of the weights over all steps");
    table
        .add("tolerance", tolerance,
             "how much of its decay a weight may lack when it is read; all of it is done in the model")
        .at_least(0);
  }
};

std::unique_ptr<Learner> make_softmax_margin(const Task& task, const SoftmaxMarginOptions& options,
                                             Workers& workers);

}  // namespace hinge
