#include "hinge/learn/smd.h"

#include <algorithm>
#include <cmath>

#include "hinge/core/trimmed_task.h"

namespace hinge {
namespace {

class Smd final : public Learner {
 public:
  Smd(const Task& task, const SmdOptions& options)
      : task_(task),
        options_(options),
        trimmed_(find_extension<TrimmedTask>(task)),
        scratch_(task.make_scratch()),
        w_(task.dimension()),
        v_(task.dimension()),
        gain_minus_1_(task.dimension()),
        gradient_(task.dimension()),
        last_(task.dimension()),
        sum_(options.average ? task.dimension() : 0),
        readers_(task.dimension()) {
    for (std::size_t i = 0; i < task.size(); ++i) {
      distinct_support(task, i, *scratch_, blocks_);
      for (const Block& block : blocks_) readers_[block.first] += 1;
    }
  }

  void run_pass(Pass& pass) override {
    for (const std::uint32_t i : pass.order) {
      if (pass.cancelled()) return;
      pass.decoding.start();
      task_.most_violated(i, w_, /*loss_weight=*/1.0, *scratch_, cut_);
      pass.decoding.stop();
      check_cut(cut_, i);
      pass.updating.start();
      ++pass.examples;
      pass.loss += cut_.loss;
      pass.violation += std::max(0.0, cut_.violation());
      pass.updates += !cut_.psi.empty();
      step(i);
      pass.updating.stop();
    }
    if (trimmed_ != nullptr) trim();
  }

  Weights model() const override {
    if (!options_.average || now_ == 0) return w_;
    Weights result(w_.size());
    for (std::size_t id = 0; id < w_.size(); ++id) {
      const double sum = sum_[id] + steps_between(last_[id], now_) * w_[id];
      if (sum != 0.0) result[id] = static_cast<float>(sum / steps_between(0, now_));
    }
    return result;
  }

  ObjectiveKind objective() const override { return {.loss = Loss::kL1, .C = options_.C}; }
  void start_from(const Weights& w) override { w_ = w; }
  void visit(State& state) override {
    state.fixed(w_, v_, gain_minus_1_, last_, sum_);
    state(now_);
  }

 private:
  void step(std::size_t i) {
    const double n = static_cast<double>(task_.size());
    const double base =
        options_.eta0 / std::pow(1.0 + options_.eta0 * static_cast<double>(now_) / (options_.C * n), 0.75);
    ++now_;
    axpy(-1.0, cut_.psi, gradient_);
    distinct_support(task_, i, *scratch_, blocks_);
    for (const Block& block : blocks_) {
      const double h = 1.0 / (options_.C * static_cast<double>(readers_[block.first]));
      for (FeatureId id = block.first; id < block.first + block.count; ++id) {
        if (gradient_[id] == 0.0f && w_[id] == 0.0f && v_[id] == 0.0f) continue;
        update(id, gradient_[id] + h * w_[id], h, base);
        gradient_[id] = 0.0f;
      }
    }
  }

  void update(FeatureId id, double g, double h, double base) {
    const double v = v_[id];
    // Bounds the gain: a product of many factors would run away if few examples
    // read a weight.
    constexpr double kMostGain = 20.0;
    const double gain = std::clamp((1.0 + gain_minus_1_[id]) * std::max(0.5, 1.0 - options_.mu * g * v),
                                   1.0 / kMostGain, kMostGain);
    // A step against 1/2 h w^2 must not overshoot zero.
    const double eta = std::min(base * gain, 0.5 / h);
    if (options_.average) settle(id, now_ - 1);
    gain_minus_1_[id] = static_cast<float>(gain - 1.0);
    v_[id] = static_cast<float>(options_.memory * v - eta * (g + options_.memory * h * v));
    w_[id] = static_cast<float>(w_[id] - eta * g);
    if (options_.average) sum_[id] += double{w_[id]} * now_;
    last_[id] = now_;
  }

  // Adds what a weight has been since its last step, up to step `to`, to its sum.
  void settle(FeatureId id, std::uint32_t to) {
    sum_[id] += steps_between(last_[id], to) * w_[id];
    last_[id] = to;
  }

  void trim() {
    if (options_.average)
      for (std::size_t id = 0; id < w_.size(); ++id) settle(static_cast<FeatureId>(id), now_);
    trimmed_->trim(w_);
  }

  // How much the weights after the steps from + 1 to `to` count: each by its number, so that
  // the mean forgets the start (Lacoste-Julien, Schmidt & Bach 2012, Eq. 3).
  static double steps_between(double from, double to) {
    return 0.5 * (to * (to + 1.0) - from * (from + 1.0));
  }

  const Task& task_;
  SmdOptions options_;
  const TrimmedTask* trimmed_;  // or null
  std::unique_ptr<Scratch> scratch_;
  Weights w_;
  Weights v_;
  Weights gain_minus_1_;                // of eta over its schedule; minus 1, so that it starts at zero
  Weights gradient_;                    // zero between steps
  ZeroedArray<std::uint32_t> last_;     // the step that last touched each weight
  ZeroedArray<double> sum_;             // of step times weight, over the steps up to `last_`
  ZeroedArray<std::uint32_t> readers_;  // d_j, at the first weight of each block
  std::uint32_t now_ = 0;
  std::vector<Block> blocks_;
  Cut cut_;
};

}  // namespace

std::unique_ptr<Learner> make_smd(const Task& task, const SmdOptions& options) {
  return std::make_unique<Smd>(task, options);
}

}  // namespace hinge
