#include "hinge/learn/steps/adagrad.h"

#include <algorithm>
#include <cmath>

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
    if (settings_.average) return catch_up_with_sum(blocks);
    catch_up_lines(blocks, now_, rates_, arrays());
  }

  void add(double scale, const Gradient& gradient) override { gradient_.add(scale, gradient); }

  void step() override {
    const std::span<const std::uint32_t> summed =
        settings_.average ? gradient_.lines() : std::span<const std::uint32_t>();
    for (const std::uint32_t line : summed) catch_up_line_with_sum(line);
    ++now_;
    step_lines(gradient_.lines(), now_, gradient_.values(0), rates_, arrays());
    for (const std::uint32_t line : summed) {
      for (std::size_t id = line * kLine; id < (line + 1) * kLine; ++id) sum_[id] += w_.data()[id];
    }
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
      const auto mean = static_cast<float>(sum_[id] / now_);
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
  AdaGradArrays arrays() { return {w_.data(), root_.data(), at_.data(), due_.data()}; }

  void catch_up_all() {
    const Block all{.first = 0, .count = static_cast<FeatureId>(w_.size())};
    std::ranges::fill(due_.span(), 0u);
    if (settings_.average) return catch_up_with_sum({&all, 1});
    catch_up_lines({&all, 1}, now_, rates_, arrays());
  }

  void catch_up_with_sum(std::span<const Block> blocks) {
    for (const Block& block : blocks) {
      const std::size_t end = lines_in(std::size_t{block.first} + block.count);
      for (std::size_t line = block.first / kLine; line < end; ++line) catch_up_line_with_sum(line);
    }
  }

  void catch_up_line_with_sum(std::size_t line) {
    if (at_[line] == now_) return;
    const double steps = now_ - at_[line];
    at_[line] = now_;
    for (std::size_t id = line * kLine; id < std::min((line + 1) * kLine, w_.size()); ++id)
      decay_with_sum(id, steps);
  }

  // The decay of catch_up_lines(), also summing all intermediate values.
  void decay_with_sum(std::size_t id, double steps) {
    if (w_[id] == 0.0f) return;
    const double ratio = double{rates_.rate} / std::max(root_[id], kInitialRoot);
    const double w = w_[id];
    if (settings_.l1) {
      // w, w - r, w - 2r, ... while positive.
      const double moving = std::min(steps, std::floor(std::abs(w) / ratio));
      const double end = std::copysign(std::max(0.0, std::abs(w) - steps * ratio), w);
      sum_[id] += moving * w - std::copysign(ratio * moving * (moving + 1.0) / 2.0, w);
      w_[id] = static_cast<float>(end);
    } else {
      // w q + w q^2 + ... + w q^t with q = 1 / (1 + r), so q / (1 - q) = 1 / r.
      const double lost = -std::expm1(-steps * std::log1p(ratio));  // 1 - q^t
      sum_[id] += ratio > 0.0 ? w * lost / ratio : w * steps;
      w_[id] = static_cast<float>(w - w * lost);
    }
  }

  AdaGradSettings settings_;
  AdaGradRates rates_;
  Weights w_;
  Weights root_;                    // sqrt(q); 0 stands for kInitialRoot
  ZeroedArray<std::uint32_t> at_;   // [lines], the step that their weights are up to date with
  ZeroedArray<std::uint32_t> due_;  // [lines], as in AdaGradArrays
  ZeroedArray<double> sum_;         // of each weight over the steps up to `at_`
  std::uint32_t now_ = 0;           // steps so far
  LineSum gradient_;                // of the next step
};

}  // namespace

std::unique_ptr<LazyStep> make_adagrad(std::size_t dimension, const AdaGradSettings& settings) {
  return std::make_unique<AdaGrad>(dimension, settings);
}

}  // namespace hinge
