#include "hinge/learn/steps/adagrad.h"

#include <algorithm>

#include "hinge/learn/steps/adagrad_kernels.h"
#include "hinge/learn/steps/line_sum.h"

namespace hinge {
namespace {

class AdaGrad final : public LazyStep {
 public:
  AdaGrad(std::size_t dimension, const AdaGradSettings& settings)
      : settings_(settings),
        rates_{.eta = static_cast<float>(settings.eta),
               .rate = static_cast<float>(settings.eta * settings.lambda),
               .l1 = settings.l1,
               .tolerance = settings.lazy ? static_cast<float>(settings.tolerance) : 0.0f},
        w_(dimension),
        root_(dimension),
        at_(lines_in(dimension)),
        due_(lines_in(dimension)),
        sum_(settings.average ? dimension + kLine : 0),
        gradient_(dimension) {
    w_.prefer_large_pages();
    root_.prefer_large_pages();
  }

  const Weights& current() const override { return w_; }

  void catch_up(std::span<const Block> blocks) override {
    if (!settings_.lazy) return catch_up_all();
    catch_up_lines(blocks, now_, rates_, arrays());
  }

  void add(double scale, const Gradient& gradient) override { gradient_.add(scale, gradient); }

  void step() override {
    ++now_;
    step_lines(gradient_.lines(), now_, gradient_.values(0), rates_, arrays());
    gradient_.clear();
  }

  Weights model() const override {
    AdaGrad copy = *this;
    return copy.take_model();
  }

  Weights take_model() override {
    catch_up_all();
    if (!settings_.average || now_ == 0) return std::move(w_);
    for (std::size_t id = 0; id < w_.size(); ++id) {
      const float mean = sum_[id] / static_cast<float>(now_);
      if (mean != w_[id]) w_[id] = mean;
    }
    return std::move(w_);
  }

  void start_from(const Weights& w) override {
    w_ = w;
    std::ranges::fill(due_.span(), 0u);
  }
  void visit(State& state) override {
    state.fixed(w_, root_, at_, due_, sum_);
    state(now_);
  }

 private:
  AdaGradArrays arrays() {
    return {w_.data(), root_.data(), at_.data(), due_.data(), settings_.average ? sum_.data() : nullptr};
  }

  void catch_up_all() {
    const Block all{.first = 0, .count = static_cast<FeatureId>(w_.size())};
    std::ranges::fill(due_.span(), 0u);
    catch_up_lines({&all, 1}, now_, rates_, arrays());
  }

  AdaGradSettings settings_;
  AdaGradRates rates_;
  Weights w_;
  Weights root_;                    // sqrt(q); 0 stands for kInitialRoot
  ZeroedArray<std::uint32_t> at_;   // [lines], the step that their weights are up to date with
  ZeroedArray<std::uint32_t> due_;  // [lines], as in AdaGradArrays
  ZeroedArray<float> sum_;          // of each weight over the steps up to `at_`
  std::uint32_t now_ = 0;           // steps so far
  LineSum gradient_;                // of the next step
};

}  // namespace

std::unique_ptr<LazyStep> make_adagrad(std::size_t dimension, const AdaGradSettings& settings) {
  return std::make_unique<AdaGrad>(dimension, settings);
}

}  // namespace hinge
