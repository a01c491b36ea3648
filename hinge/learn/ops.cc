#include "hinge/learn/ops.h"

#include <algorithm>
#include <cmath>

#include "hinge/learn/decay.h"

namespace hinge {
namespace {

class Ops final : public Learner {
 public:
  Ops(const Task& task, const OpsOptions& options, Workers& workers)
      : task_(task),
        options_(options),
        workers_(workers),
        scratches_(task),
        l1_(options.regularizer == "l1"),
        w_(task.dimension()),
        root_(task.dimension()),
        last_(task.dimension()),
        cuts_(std::min<std::size_t>(options.batch, std::max<std::size_t>(task.size(), 1))) {}

  void run_pass(Pass& pass) override {
    for (std::size_t begin = 0; begin < pass.order.size() && !pass.cancelled(); begin += cuts_.size()) {
      const std::size_t count = std::min(cuts_.size(), pass.order.size() - begin);
      const auto batch = pass.order.subspan(begin, count);
      pass.updating.start();
      catch_up(batch);
      pass.updating.stop();
      pass.decoding.start();
      workers_.each(count, [&](std::size_t b) {
        task_.most_violated(batch[b], w_, /*loss_weight=*/1.0, scratches_.local(), cuts_[b]);
      });
      pass.decoding.stop();
      pass.updating.start();
      sum_gradients(batch, pass);
      update();
      pass.updating.stop();
    }
  }

  Weights model() const override {
    Weights w = w_;
    ZeroedArray<std::uint32_t> last = last_;
    decay(w.data(), last.data(), w.size());
    return w;
  }

  Weights take_model() override {
    decay(w_.data(), last_.data(), w_.size());
    return std::move(w_);
  }

  ObjectiveKind objective() const override {
    return {.loss = Loss::kL1, .C = options_.C, .l1_regularizer = l1_};
  }

 private:
  // eta lambda_b. Every update of a pass carries the same share of the
  // regularizer, the last and perhaps smaller batch too.
  double decay_rate() const {
    const std::size_t updates_per_pass = (task_.size() + cuts_.size() - 1) / cuts_.size();
    return options_.eta / (options_.C * static_cast<double>(updates_per_pass));
  }

  void decay(float* w, std::uint32_t* last, std::size_t n, std::size_t first = 0) const {
    (l1_ ? decay_l1 : decay_l2)(w, root_.data() + first, last, n, now_, static_cast<float>(decay_rate()));
  }

  void catch_up(std::span<const std::uint32_t> batch) {
    if (!options_.lazy) return decay(w_.data(), last_.data(), w_.size());
    blocks_.clear();
    for (const std::uint32_t i : batch) task_.support(i, blocks_);
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      // Three arrays, rows far apart: what comes soon is fetched now.
      constexpr std::size_t kAhead = 8;
      if (b + kAhead < blocks_.size()) prefetch(blocks_[b + kAhead].first);
      const Block& block = blocks_[b];
      decay(w_.data() + block.first, last_.data() + block.first, block.count, block.first);
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

  void sum_gradients(std::span<const std::uint32_t> batch, Pass& pass) {
    gradient_.clear();
    for (std::size_t b = 0; b < batch.size(); ++b) {
      const Cut& cut = cuts_[b];
      check_cut(cut, batch[b]);
      ++pass.examples;
      pass.updates += !cut.psi.empty();
      pass.loss += cut.loss;
      pass.violation += std::max(0.0, cut.violation());
      gradient_.append(cut.psi, -1.0f);
    }
    gradient_.merge();
  }

  void update() {
    const double rate = decay_rate();
    ++now_;
    for (const auto& [id, g] : gradient_.entries()) {
      const double root = std::hypot(std::max(root_[id], kInitialRoot), g);  // q += g^2
      root_[id] = static_cast<float>(root);
      w_[id] = static_cast<float>(l1_ ? step_l1(w_[id], g, root, rate) : step_l2(w_[id], g, root, rate));
      last_[id] = now_;
    }
  }

  double step_l2(double w, double g, double root, double rate) const {
    return (w * root - options_.eta * g) / (rate + root);
  }

  double step_l1(double w, double g, double root, double rate) const {
    const double u = w - options_.eta / root * g;
    return std::copysign(std::max(0.0, std::abs(u) - rate / root), u);
  }

  const Task& task_;
  OpsOptions options_;
  Workers& workers_;
  ScratchPool scratches_;
  bool l1_;
  Weights w_;
  Weights root_;                     // sqrt(q); 0 stands for kInitialRoot
  ZeroedArray<std::uint32_t> last_;  // the update each weight that is not zero stands at
  std::uint32_t now_ = 0;            // updates so far
  std::vector<Cut> cuts_;            // [batch]
  SparseVector gradient_;
  std::vector<Block> blocks_;
};

}  // namespace

std::unique_ptr<Learner> make_ops(const Task& task, const OpsOptions& options, Workers& workers) {
  return std::make_unique<Ops>(task, options, workers);
}

}  // namespace hinge
