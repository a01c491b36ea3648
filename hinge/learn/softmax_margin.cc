#include "hinge/learn/softmax_margin.h"

#include <algorithm>

#include "hinge/core/marginal_task.h"
#include "hinge/learn/batch/expect_all.h"
#include "hinge/learn/steps/adadelta.h"
#include "hinge/learn/steps/adagrad.h"
#include "hinge/learn/steps/gradient_bytes.h"
#include "hinge/learn/steps/lazy_learner.h"

namespace hinge {
namespace {

class SoftmaxMargin final : public LazyLearner {
 public:
  SoftmaxMargin(const Task& task, const SoftmaxMarginOptions& options, Workers& workers)
      : LazyLearner(task, options.batch, workers),
        options_(options),
        marginals_(*find_extension<MarginalTask>(task)),
        expectations_(most_in_batch()) {
    const double lambda = regularizer_share(options.C);
    if (options.rule == "adagrad")
      set_step(make_adagrad(task.dimension(), {.eta = options.eta,
                                               .lambda = lambda,
                                               .average = options.average,
                                               .tolerance = options.tolerance}));
    else
      set_step(make_adadelta(task.dimension(),
                             {.rho = options.rho, .lambda = lambda, .average = options.average}));
  }

  ObjectiveKind objective() const override { return {.loss = Loss::kSoftmaxMargin, .C = options_.C}; }

 protected:
  void ask(std::size_t b, std::size_t example, Scratch& scratch) override {
    marginals_.expect(example, current(), /*loss_weight=*/1.0, scratch, expectations_[b]);
  }

  void use(std::size_t b, std::size_t example, Pass& pass) override {
    const Expectation& expectation = expectations_[b];
    check_expectation(expectation.log_loss, expectation.expected_loss, example);
    pass.updates += expectation.log_loss > 0.0;
    pass.loss += expectation.expected_loss;
    pass.violation += expectation.log_loss;
    step().add(1.0, expectation.gradient);
  }

  void put(std::size_t b, std::size_t example, Bytes& out) override {
    Expectation& expectation = expectations_[b];
    check_expectation(expectation.log_loss, expectation.expected_loss, example);
    expectation.gradient.merge();
    put_value(expectation.log_loss, out);
    put_value(expectation.expected_loss, out);
    put_gradient(expectation.gradient, out);
  }

  void take(std::size_t b, std::span<const std::byte>& in) override {
    Expectation& expectation = expectations_[b];
    expectation.log_loss = take_value<double>(in);
    expectation.expected_loss = take_value<double>(in);
    take_gradient(in, expectation.gradient);
  }

 private:
  SoftmaxMarginOptions options_;
  const MarginalTask& marginals_;
  std::vector<Expectation> expectations_;  // [most_in_batch()]
};

}  // namespace

std::unique_ptr<Learner> make_softmax_margin(const Task& task, const SoftmaxMarginOptions& options,
                                             Workers& workers) {
  return std::make_unique<SoftmaxMargin>(task, options, workers);
}

}  // namespace hinge
