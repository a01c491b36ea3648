#include "hinge/learn/steps/adagrad.h"

#include <algorithm>
#include <cmath>

#include "hinge/learn/steps/decay.h"

namespace hinge {
namespace {

class AdaGrad final : public LazyStep {
 public:
  AdaGrad(std::size_t dimension, const AdaGradSettings& settings)
      : settings_(settings),
        rate_(settings.eta * settings.lambda),
        w_(dimension),
        root_(dimension),
        last_(dimension),
        sum_(settings.average ? dimension : 0) {}

  const Weights& current() const override { return w_; }

  void catch_up(std::span<const Block> blocks) override {
    if (!settings_.lazy) return catch_up({.first = 0, .count = static_cast<FeatureId>(w_.size())});
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      // Three arrays, rows far apart: what comes soon is fetched now.
      constexpr std::size_t kAhead = 8;
      if (b + kAhead < blocks.size()) prefetch(blocks[b + kAhead].first);
      catch_up(blocks[b]);
    }
  }

  void update(const SparseVector& gradient) override {
    ++now_;
    for (const auto& [id, g] : gradient.entries()) {
      const double root = std::hypot(std::max(root_[id], kInitialRoot), g);  // q += g^2
      root_[id] = static_cast<float>(root);
      w_[id] = static_cast<float>(settings_.l1 ? step_l1(w_[id], g, root) : step_l2(w_[id], g, root));
      last_[id] = now_;
      if (settings_.average) sum_[id] += w_[id];
    }
  }

  Weights model() const override {
    AdaGrad copy = *this;
    return copy.take_model();
  }

  Weights take_model() override {
    catch_up({.first = 0, .count = static_cast<FeatureId>(w_.size())});
    if (!settings_.average || now_ == 0) return std::move(w_);
    for (std::size_t id = 0; id < w_.size(); ++id) {
      const auto mean = static_cast<float>(sum_[id] / now_);
      if (mean != w_[id]) w_[id] = mean;
    }
    return std::move(w_);
  }

  void start_from(const Weights& w) override { w_ = w; }
  void visit(State& state) override { state(w_, root_, last_, sum_, now_); }

 private:
  void catch_up(const Block& block) {
    if (settings_.average) return catch_up_with_sum(block);
    (settings_.l1 ? decay_l1 : decay_l2)(w_.data() + block.first, root_.data() + block.first,
                                         last_.data() + block.first, block.count, now_,
                                         static_cast<float>(rate_));
  }

  // The same decay, with the sum of all the values it passes through.
  void catch_up_with_sum(const Block& block) {
    for (std::size_t id = block.first; id < std::size_t{block.first} + block.count; ++id) {
      const double steps = now_ - last_[id];
      if (w_[id] == 0.0f || steps == 0.0) continue;
      const double ratio = rate_ / std::max(root_[id], kInitialRoot);
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
      last_[id] = now_;
    }
  }

  void prefetch(FeatureId first) const {
    constexpr FeatureId kLine = 64 / sizeof(float);
    for (const FeatureId id : {first, first + kLine}) {
      __builtin_prefetch(w_.data() + id);
      __builtin_prefetch(root_.data() + id);
      __builtin_prefetch(last_.data() + id);
    }
  }

  double step_l2(double w, double g, double root) const {
    return (w * root - settings_.eta * g) / (rate_ + root);
  }

  double step_l1(double w, double g, double root) const {
    const double u = w - settings_.eta / root * g;
    return std::copysign(std::max(0.0, std::abs(u) - rate_ / root), u);
  }

  AdaGradSettings settings_;
  double rate_;  // eta lambda
  Weights w_;
  Weights root_;                     // sqrt(q); 0 stands for kInitialRoot
  ZeroedArray<std::uint32_t> last_;  // the update each weight that is not zero stands at
  ZeroedArray<double> sum_;          // of each weight over the steps up to `last_`
  std::uint32_t now_ = 0;            // updates so far
};

}  // namespace

std::unique_ptr<LazyStep> make_adagrad(std::size_t dimension, const AdaGradSettings& settings) {
  return std::make_unique<AdaGrad>(dimension, settings);
}

}  // namespace hinge
