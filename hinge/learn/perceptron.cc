#include "hinge/learn/perceptron.h"

#include "hinge/learn/steps/mixing.h"

namespace hinge {
namespace {

class Perceptron final : public MixableLearner {
 public:
  Perceptron(const Task& task, const PerceptronOptions& options)
      : task_(task),
        scratch_(task.make_scratch()),
        weights_(task.dimension(), options.average ? Averaging::kUniform : Averaging::kNone) {}

  void run_pass(Pass& pass) override {
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      pass.decoding.start();
      task_.most_violated(i, weights_.current(), /*loss_weight=*/0.0, *scratch_, cut_);
      pass.decoding.stop();
      check_cut(cut_, i);
      pass.updating.start();
      step(pass);
      pass.updating.stop();
    }
  }

  Weights model() const override { return weights_.model(); }
  Weights take_model() override { return weights_.take_model(); }
  void start_from(const Weights& w) override { weights_.start_from(w); }
  void visit(State& state) override { state(weights_); }
  AveragedWeights& weights() override { return weights_; }
  ObjectiveKind objective() const override { return {}; }

 private:
  void step(Pass& pass) {
    ++pass.examples;
    pass.loss += cut_.loss;
    if (!cut_.psi.empty()) {
      ++pass.updates;
      pass.violation -= cut_.margin;  // the perceptron's own loss: max(0, -margin)
      weights_.add(1.0, cut_.psi);
    }
    weights_.end_step();
  }

  const Task& task_;
  std::unique_ptr<Scratch> scratch_;
  AveragedWeights weights_;
  Cut cut_;
};

}  // namespace

std::unique_ptr<Learner> make_perceptron(const Task& task, const PerceptronOptions& options,
                                         Workers& workers) {
  const auto make = [&task, options] { return std::make_unique<Perceptron>(task, options); };
  return make_mixed(task, make, options.mixes, workers);
}

}  // namespace hinge
