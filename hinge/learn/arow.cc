#include "hinge/learn/arow.h"

#include <algorithm>

#include "hinge/learn/steps/averaging.h"

namespace hinge {
namespace {

class Arow final : public Learner {
 public:
  Arow(const Task& task, const ArowOptions& options)
      : task_(task),
        r_(options.r),
        scratch_(task.make_scratch()),
        weights_(task.dimension(), options.average ? Averaging::kUniform : Averaging::kNone),
        gained_(task.dimension()) {}

  void run_pass(Pass& pass) override {
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      pass.decoding.start();
      task_.most_violated(i, weights_.current(), /*loss_weight=*/1.0, *scratch_, cut_);
      pass.decoding.stop();
      check_cut(cut_, i);
      pass.updating.start();
      ++pass.examples;
      pass.loss += cut_.loss;
      pass.violation += std::max(0.0, cut_.violation());
      pass.updates += step();
      weights_.end_step();
      pass.updating.stop();
    }
  }

  Weights model() const override { return weights_.model(); }
  Weights take_model() override { return weights_.take_model(); }
  void start_from(const Weights& w) override { weights_.start_from(w); }
  void visit(State& state) override {
    state(weights_);
    state.fixed(gained_);
    for (const float gain : gained_.span()) state.require(gain >= 0.0f);
  }
  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = std::nullopt}; }

 private:
  // Whether the weights moved.
  bool step() {
    if (!(cut_.violation() > 0.0)) return false;
    cut_.psi.merge();
    direction_.clear();
    double spread = 0.0;  // psi . S psi
    each_entry([&](FeatureId id, float value) {
      const double along = value / (1.0 + gained_[id]);
      direction_.add(id, static_cast<float>(along));
      spread += along * value;
    });
    if (direction_.empty()) return false;
    weights_.add(cut_.violation() / (r_ + spread), direction_);
    each_entry([&](FeatureId id, float value) {
      gained_[id] += static_cast<float>(double{value} * value / r_);
    });
    return true;
  }

  template <typename Use>
  void each_entry(const Use& use) const {
    for (const Entry& entry : cut_.psi.entries()) use(entry.id, entry.value);
    cut_.psi.each_block([&](FeatureId first, std::span<const float> values) {
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (values[k] != 0.0f) use(first + static_cast<FeatureId>(k), values[k]);
      }
    });
  }

  const Task& task_;
  double r_;
  std::unique_ptr<Scratch> scratch_;
  AveragedWeights weights_;
  Weights gained_;          // 1 / S_j - 1, the confidence gained since the beginning
  SparseVector direction_;  // S psi
  Cut cut_;
};

}  // namespace

std::unique_ptr<Learner> make_arow(const Task& task, const ArowOptions& options) {
  return std::make_unique<Arow>(task, options);
}

}  // namespace hinge
