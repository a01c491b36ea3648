#include "hinge/learn/steps/adadelta.h"

#include <algorithm>
#include <cmath>

#include "hinge/learn/steps/line_sum.h"

namespace hinge {
namespace {

class AdaDelta final : public LazyStep {
 public:
  AdaDelta(std::size_t dimension, const AdaDeltaSettings& settings)
      : settings_(settings),
        w_(dimension),
        gradients_(dimension),
        steps_(dimension),
        last_(dimension),
        sum_(settings.average ? dimension : 0),
        gradient_(dimension) {}

  const Weights& current() const override { return w_; }
  void catch_up(std::span<const Block>) override {}  // the pending part is added in the next step

  void add(double scale, const Gradient& gradient) override { gradient_.add(scale, gradient); }

  void step() override {
    ++now_;
    for (std::size_t k = 0; k < gradient_.lines().size(); ++k) {
      const std::size_t first = gradient_.lines()[k] * kLine;
      for (std::size_t j = 0; j < std::min(kLine, w_.size() - first); ++j) {
        if (gradient_.values(k)[j] != 0.0f) step(first + j, gradient_.values(k)[j]);
      }
    }
    gradient_.clear();
  }

  Weights model() const override {
    AdaDelta copy = *this;
    return copy.take_model();
  }

  Weights take_model() override {
    if (!settings_.average || now_ == 0) return std::move(w_);
    for (std::size_t id = 0; id < w_.size(); ++id) {
      const auto mean = static_cast<float>((sum_[id] + (now_ - last_[id]) * double{w_[id]}) / now_);
      if (mean != w_[id]) w_[id] = mean;
    }
    return std::move(w_);
  }

  void start_from(const Weights& w) override { w_ = w; }
  void visit(State& state) override {
    state.fixed(w_, gradients_, steps_, last_, sum_);
    state(now_);
  }

 private:
  void step(std::size_t id, double loss_gradient) {
    const double idle = now_ - last_[id];
    if (settings_.average) sum_[id] += (idle - 1.0) * w_[id];
    const double g = loss_gradient + settings_.lambda * idle * w_[id];
    const double rho = settings_.rho;
    gradients_[id] = static_cast<float>(rho * gradients_[id] + (1.0 - rho) * g * g);
    const double step =
        -std::sqrt(steps_[id] + settings_.epsilon) / std::sqrt(gradients_[id] + settings_.epsilon) * g;
    steps_[id] = static_cast<float>(rho * steps_[id] + (1.0 - rho) * step * step);
    w_[id] += static_cast<float>(step);
    last_[id] = now_;
    if (settings_.average) sum_[id] += w_[id];
  }

  AdaDeltaSettings settings_;
  Weights w_;
  Weights gradients_;                // E[g^2]
  Weights steps_;                    // E[dx^2]
  ZeroedArray<std::uint32_t> last_;  // the update that last touched each weight
  ZeroedArray<double> sum_;          // of each weight over the steps up to `last_`
  std::uint32_t now_ = 0;
  LineSum gradient_;  // of the next step
};

}  // namespace

std::unique_ptr<LazyStep> make_adadelta(std::size_t dimension, const AdaDeltaSettings& settings) {
  return std::make_unique<AdaDelta>(dimension, settings);
}

}  // namespace hinge
